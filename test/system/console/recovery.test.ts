import { describe, expect, it } from 'vitest'
import { strongroom } from '../../support/console-kit.ts'
import { TestAppliance, type TestUser } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { verdict } from '../../support/fault-kit.ts'
import { HardwareToken } from '../../support/hardware-token.ts'
import { makeVault } from '../../support/vault.ts'

const appliance = applianceForTests(() => TestAppliance.own())

const run = (args: readonly string[], input?: string) => strongroom(appliance.configFile, args, input)
const passphrase = 'eleven grey lanterns over snow'
const onHold = /membership in one vault is on hold/

/** A user with a vault of his own, and a vault with another Admin. */
async function givenUser() {
  const [user, shared] = [await appliance.addUser(), await makeVault(appliance)]
  const client = await appliance.login(user)
  const [{ id: own }] = (await client.must('POST', '/vault', { vaultname: 'Own' }))['VAULT'] as [{ id: string }]
  return { user, client, own, shared }
}
const logIn = async (user: TestUser) => appliance.login({ ...user, passphrase })

describe('the operator', () => {
  it('gives a user another pass phrase, and confirms him where nobody else can', async () => {
    const { user, own, shared } = await givenUser()
    await shared.share(String(user.id), 'Write')
    const reset = await run(['user', 'passphrase', user.username, '--passphrase-file', '-'], passphrase)
    expect(reset).toMatchObject({ status: 0, stdout: expect.stringMatching(/membership in 2 vaults is on hold/) })
    const client = await logIn(user)
    for (const id of [own, shared.id]) expect(verdict(await client.get(`/vault/${id}`))).toBe('403 1302')
    expect((await run(['vault', 'members', own])).stdout).toMatch(/Admin +on hold$/m)

    const { findings } = JSON.parse((await run(['--json', 'doctor'])).stdout) as { findings: { detail: string }[] }
    expect(
      findings.map(({ detail }) => detail).filter((detail) => detail.includes(`${user.username} is on hold in`)),
    ).toEqual([expect.stringContaining(`vault ${own} `)])
    expect(await run(['vault', 'confirm', shared.id, user.username])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('ask that Admin'),
    })
    expect(await run(['vault', 'confirm', own, user.username])).toMatchObject({ status: 0 })
    expect(verdict(await client.get(`/vault/${own}`))).toBe('done')
    expect(await run(['vault', 'confirm', own, user.username])).toMatchObject({ status: 1 })
    await shared.admin.must('POST', `/vault/${shared.id}/member/${user.id}/confirm`)
    expect(verdict(await client.get(`/vault/${shared.id}`))).toBe('done')

    const { outcome, subject } =
      appliance.trail
        .flatMap((text) => text.split('\n').filter(Boolean))
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .find(({ operation, outcome: how }) => operation === 'console.vault.confirm' && how === 'allowed') ?? {}
    expect({ outcome, subject }).toEqual({ outcome: 'allowed', subject: `vault ${own} user ${user.username}` })
  })

  it('says that memberships are on hold after each way to give a factor', async () => {
    const { user, client, own } = await givenUser()
    const [stock, token] = [new HardwareToken(), new HardwareToken()]
    const line = ({ publicId, privateId, key }: HardwareToken) => `${publicId},${privateId},${key}`
    expect(await run(['otp', 'import', '-'], line(stock))).toMatchObject({ status: 0 })
    expect(verdict(await client.get(`/vault/${own}`))).toBe('done')
    const ways: readonly (readonly [readonly string[], string?])[] = [
      [['otp', 'assign', user.username, stock.publicId]],
      [['otp', 'enroll', user.username, '--totp']],
      [['otp', 'import', '-', '--user', user.username], line(token)],
    ]
    for (const [args, input] of ways) {
      const done = await run(args, input)
      expect({ args, ...done }).toMatchObject({ status: 0, stdout: expect.stringMatching(onHold) })
      expect(await run(['vault', 'confirm', own, user.username])).toMatchObject({ status: 0 })
    }
    expect(verdict(await client.get(`/vault/${own}`))).toBe('403 1200')
  })

  it('confirms one of two Admins who have reset each other', async () => {
    const administrators = [0, 1].map(() => appliance.addUser(['read', 'createVault', 'admin', 'active']))
    const [one, two] = (await Promise.all(administrators)) as [TestUser, TestUser]
    const client = await appliance.login(one)
    const [{ id }] = (await client.must('POST', '/vault', { vaultname: 'Both' }))['VAULT'] as [{ id: string }]
    await client.must('POST', `/vault/${id}/member/${two.id}`, { status: 4 })
    await client.must('PUT', `/user/${two.id}/passphrase`, { newpassphrase: passphrase })
    const other = await logIn(two)
    await other.must('PUT', `/user/${one.id}/passphrase`, { newpassphrase: passphrase })
    expect(await run(['vault', 'confirm', id, two.username])).toMatchObject({ status: 0 })
    // He may not confirm the user whom he has reset: only the operator may.
    expect(verdict(await other.post(`/vault/${id}/member/${one.id}/confirm`))).toBe('403 1303')
    expect(await run(['vault', 'confirm', id, one.username])).toMatchObject({ status: 0 })
    expect(verdict(await (await logIn(one)).get(`/vault/${id}`))).toBe('done')
  })
})
