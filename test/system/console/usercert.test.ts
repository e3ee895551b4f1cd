import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ClientCa, pemOf } from '../../support/client-pki.ts'
import { addUser, makePremises, recorded, type Premises } from '../../support/console-kit.ts'

const ca = new ClientCa()
let premises: Premises

beforeAll(async () => {
  premises = await makePremises()
  premises.configure({ smartcard: { clientCa: ca.certificate } })
  await premises.ask(['init'])
  await addUser(premises, 'alice')
  await addUser(premises, 'bobby')
})
afterAll(() => premises.cleanup())

describe('strongroom usercert', () => {
  it('registers a card from a file or standard input, shows it, and takes it away', async () => {
    const card = ca.issue('/O=Example/CN=Alice Example')
    expect(await premises.ask(['usercert', 'show', 'alice'])).toEqual({ username: 'alice', certificate: null })
    const added = await premises.ask(['usercert', 'add', 'alice', card.certificate])
    expect(added.certificate).toMatchObject({
      subject: { O: 'Example', CN: 'Alice Example' },
      validTo: expect.stringMatching(/^\d{4}-.*Z$/),
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(await premises.ask(['usercert', 'add', 'alice', '-'], pemOf(card))).toEqual(added)
    expect(await premises.ask(['usercert', 'show', 'alice'])).toEqual(added)
    expect((await premises.run(['usercert', 'show', 'alice'])).stdout).toMatch(/^CN +"Alice Example"$/m)
    expect(await premises.run(['usercert', 'add', 'bobby', card.certificate])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('another user'),
    })
    await premises.ask(['usercert', 'remove', 'alice'])
    expect(await premises.run(['usercert', 'remove', 'alice'])).toMatchObject({ status: 1 })
    const print = added.certificate.fingerprint.slice(0, 16)
    expect(recorded(premises).slice(3)).toEqual([
      ['console.usercert.add', 'allowed', `user alice: certificate ${print}`],
      ['console.usercert.add', 'allowed', `user alice: certificate ${print}`],
      ['console.usercert.add', 'certificate.taken', `user bobby: certificate ${print}`],
      ['console.usercert.remove', 'allowed', 'user alice'],
      ['console.usercert.remove', 'certificate.none', 'user alice'],
    ])
  })

  it('says what is wrong with a file, and changes nothing', async () => {
    const key = ca.issue('/CN=Alice').key
    const cases: readonly (readonly [args: string[], status: number, says: RegExp])[] = [
      [['add', 'alice', join(premises.directory, 'nowhere')], 2, /nowhere does not exist: name another file/],
      [['add', 'alice', '/dev/zero'], 2, /cannot be read: it has more than 16777216 bytes/],
      [['add', 'alice', key], 1, /private key/],
      [['add', 'alice', ca.certificate], 1, /of a CA/],
      [['add', 'nobody', ca.issue('/CN=Nobody').certificate], 1, /no user nobody/],
      [['show', 'nobody'], 1, /no user nobody/],
    ]
    for (const [args, status, says] of cases)
      expect(await premises.run(['usercert', ...args])).toMatchObject({
        status,
        stdout: '',
        stderr: expect.stringMatching(says),
      })
    expect(await premises.ask(['usercert', 'show', 'alice'])).toMatchObject({ certificate: null })
  })
})

it('strongroom doctor tells of revocation lists that have expired or cannot be read, and of proxies that tell no address', async () => {
  const findings = async (crls: string[], proxies: string[] = []) => {
    premises.configure({ smartcard: { clientCa: ca.certificate, crls, proxies } })
    const { stdout } = await premises.run(['--json', 'doctor'])
    return JSON.parse(stdout).findings.filter(({ subject }: { subject: string }) => subject === 'smartcards')
  }
  ca.writeCrl()
  expect(await findings([ca.crl])).toEqual([{ subject: 'smartcards', state: 'ok', detail: 'asked for on port 8443' }])
  expect(await findings([ca.crl], ['192.0.2.0/24'])).toMatchObject([
    { state: 'warning', detail: expect.stringContaining('192.0.2.0/24') },
  ])
  ca.writeCrl(7, '-crl_lastupdate', '20200101000000Z', '-crl_nextupdate', '20200108000000Z')
  expect(await findings([ca.crl])).toMatchObject([
    { state: 'warning', detail: expect.stringContaining('expired on 2020-01-08') },
  ])
  expect(await findings([ca.key])).toMatchObject([{ state: 'problem' }, { state: 'warning' }])
})
