import { randomBytes } from 'node:crypto'
import { expect, it, onTestFinished } from 'vitest'
import { capabilitiesOf, type Capability } from '../../../src/access/capabilities.ts'
import type { Caller } from '../../../src/access/caller.ts'
import { operatorId } from '../../../src/access/confirmation.ts'
import { Fault } from '../../../src/fault.ts'
import { sealedUser, userRecord } from '../../../src/features/users/user-seals.ts'
import { nextGeneration } from '../../../src/hsm/record-generation.ts'
import { beforeCommit } from '../../../src/store/commit-work.ts'
import type { Commit, TransactionOptions, Tx } from '../../../src/store/store.ts'
import { TestAppliance, type TestUser } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { verdict } from '../../support/fault-kit.ts'
import { totpCode } from '../../support/hardware-token.ts'
import { grantOfSession } from '../../support/session-grant.ts'
import { accountRow } from '../../support/user-row.ts'
import { makeVault } from '../../support/vault.ts'
import { workerHsm } from '../../support/worker-hsm.ts'

/** Commits that fail, as on a full disk, or come after another change: what they would have changed shuts nobody out. */
const appliance = applianceForTests(() => TestAppliance.own({ login: { freeAttempts: 3, firstDelayMs: 900_000 } }))

const failing: Commit = (work) =>
  appliance.store.transaction(async (tx) => {
    const made = await work(tx)
    beforeCommit(tx, () => Promise.reject(new Fault('audit.unavailable')))
    return made
  })

const give = ({ id }: TestUser, names: readonly Capability[], commit: Commit) =>
  appliance.services.users.change(id, { capabilities: () => capabilitiesOf(names) }, commit)

/** Of the domain itself, whose commit the test makes. */
function logIn(
  { username, passphrase, totpSecret }: TestUser,
  commit: <T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions) => Promise<T>,
  otp = totpCode(totpSecret),
  otpKind: 'totp' | 'hwkey_otp' = 'totp',
) {
  const { applicationKey } = appliance
  const credentials = [{ passphrase, applicationKey, otpKind, otp }]
  return appliance.services.login.logIn({ username, credentials, address: '127.0.0.1' }, commit)
}

const logsInByToken = async (user: TestUser) =>
  verdict(await appliance.client().post('/auth', appliance.credentials(user)))

it('a first login beside a change of the user, of which neither is committed', async () => {
  const user = await appliance.addUser(['read', 'active'])
  const login = logIn(user, async (work) => {
    // The login has begun by the row of before.
    await give(user, ['read', 'active', 'createVault'], appliance.commit)
    const [change, made] = [give(user, ['read', 'active'], failing), failing(work)]
    await expect(change).rejects.toMatchObject({ code: 'audit.unavailable' })
    return made
  })
  await expect(login).rejects.toMatchObject({ code: 'audit.unavailable' })
  expect(await logsInByToken(user)).toBe('done')
})

it('a first login waits for the disk, before others see its change of the user', async () => {
  const user = await appliance.addUser()
  const seen: (boolean | undefined)[] = []
  const commit = <T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions) => {
    seen.push(options?.syncAside)
    return appliance.store.transaction(work, options)
  }
  await logIn(user, commit)
  expect(await logsInByToken(user)).toBe('done')
  expect(seen).toEqual([false])
})

it('a login during which another person gives the user a second factor, which ends all sessions', async () => {
  const user = await appliance.addUser()
  await logIn(user, appliance.commit)
  const login = logIn(
    user,
    async (work) => {
      await appliance.services.enrolments.enrolTotp(user, operatorId, appliance.commit)
      return appliance.commit(work)
    },
    user.hardwareToken.press(),
    'hwkey_otp',
  )
  await expect(login).rejects.toMatchObject({ code: 'login.refused' })
  expect(await logsInByToken(user)).toBe('done')
})

it('logins with the right credentials, which count as no failed ones', async () => {
  const user = await appliance.addUser()
  const { hardwareToken, passphrase } = user
  for (let times = 0; times < 5; times++) {
    const login = logIn(user, failing, hardwareToken.press(), 'hwkey_otp')
    await expect(login).rejects.toMatchObject({ code: 'audit.unavailable' })
  }
  const { json } = await appliance.client().post('/auth', appliance.credentials(user))
  expect(json.CALLINFO).toMatchObject({ status: 'SUCCESS', audit: { warnings: [] } })

  const { ownFactors, passphraseChanges } = appliance.services
  const caller = { userId: user.id, username: user.username, sessionId: 0 } as Caller
  for (let times = 0; times < 5; times++) {
    const shown = { otpKind: 'hwkey_otp', otp: hardwareToken.press(), address: '127.0.0.1' } as const
    const change = { ...shown, passphrase, newPassphrase: 'seven wooden lanterns on the quay' }
    // The caller has no session, without which the keeper seals nothing.
    await expect(passphraseChanges.changeOwn(caller, change, failing)).rejects.toMatchObject({ code: 'hsm.rejected' })
    const factor = ownFactors.change(caller, { ...shown, otp: hardwareToken.press() }, failing, () => Promise.resolve())
    await expect(factor).rejects.toMatchObject({ code: 'session.invalid' })
  }
  expect(await logsInByToken(user)).toBe('done')
})

it('an administrator whose reset of a member came to nothing confirms the member, whom another one has reset', async () => {
  const administrator = () => appliance.addUser(['read', 'createVault', 'admin', 'active'])
  const [owner, other] = [await appliance.login(await administrator()), await appliance.login(await administrator())]
  const vault = await makeVault(appliance, 'Shared', owner)
  const user = await appliance.addUser()
  await vault.share(String(user.id), 'Write')
  await appliance.login(user)
  const worker = workerHsm(appliance)
  onTestFinished(() => worker.close())

  // As a worker has it sealed for a commit that then fails.
  const before = await accountRow(appliance, user)
  const reset = {
    ...before,
    passphraseCheck: await worker.newPassphraseCheck(randomBytes(32)),
    recoveries: before.recoveries + 1,
    generation: nextGeneration(before.generation),
  }
  const grant = await grantOfSession(appliance, worker, owner)
  await worker.seal(userRecord(reset), { previous: sealedUser(before), grant })

  const newpassphrase = 'eleven grey lanterns over snow'
  await other.must('PUT', `/user/${user.id}/passphrase`, { newpassphrase })
  expect(verdict(await owner.post(`/vault/${vault.id}/member/${user.id}/confirm`))).toBe('done')
})
