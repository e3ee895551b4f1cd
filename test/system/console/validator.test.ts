import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { givenInitialised, makePremises, recorded, type Premises } from '../../support/console-kit.ts'

describe('strongroom validator', () => {
  it('makes clients with a key that is shown once, lists and revokes them, and records each', async () => {
    const premises = await givenInitialised()
    const vpn = await premises.ask(['validator', 'client-add', 'vpn.example.org'])
    expect(vpn).toMatchObject({ id: 1, name: 'vpn.example.org', unsigned: false })
    expect(Buffer.from(vpn.key, 'base64')).toHaveLength(20)
    const door = await premises.run(['validator', 'client-add', 'door 7', '--unsigned'])
    expect(door.stdout).toMatch(
      /^Validation client door 7: id 2, API key [A-Za-z0-9+/]{27}=\nThe key is shown this once/,
    )

    await premises.ask(['validator', 'client-revoke', 'vpn.example.org'])
    const listed = (await premises.run(['validator', 'client-list'])).stdout
    expect(listed).toMatch(/^1 +vpn\.example\.org +signed +\S+ \S+ +revoked \S+ \S+$/m)
    expect(listed).toMatch(/^2 +door 7 +also unsigned +\S+ \S+ +in use$/m)
    expect(JSON.stringify(await premises.ask(['validator', 'client-list']))).not.toContain(vpn.key)
    expect(recorded(premises).slice(1)).toEqual([
      ['console.validator.client.add', 'allowed', 'validation client vpn.example.org'],
      ['console.validator.client.add', 'allowed', 'validation client door 7'],
      ['console.validator.client.revoke', 'allowed', 'validation client vpn.example.org'],
    ])
  })
})

describe('strongroom validator refuses', () => {
  let premises: Premises
  beforeAll(async () => {
    premises = await makePremises()
    await premises.ask(['init'])
    await premises.ask(['validator', 'client-add', 'taken'])
    for (const step of ['client-add', 'client-revoke']) await premises.ask(['validator', step, 'revoked'])
  })
  afterAll(() => premises.cleanup())

  it.each([
    ['a name that is taken', ['client-add', 'taken'], 'choose another name'],
    ['a name with a line break', ['client-add', 'a\nb'], '1 to 64 letters'],
    ['an empty name', ['client-add', ''], '1 to 64 letters'],
    ['a name of 65 characters', ['client-add', 'x'.repeat(65)], '1 to 64 letters'],
    ['a name of other letters', ['client-add', 'tür'], '1 to 64 letters'],
    ['revoking a client that is not there', ['client-revoke', 'nobody'], 'no validation client nobody'],
    ['revoking a client twice', ['client-revoke', 'revoked'], 'no validation client revoked'],
  ])('%s', async (_name, args, sentence) => {
    expect(await premises.run(['validator', ...args])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(sentence),
    })
  })
})
