import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { capabilitiesOf } from '../../src/access/capabilities.ts'
import { sessionTokenHash } from '../../src/access/session-token-form.ts'
import { findSealedSession } from '../../src/features/auth/session-seals.ts'
import { deviceRecord, devicesOf, stateOf } from '../../src/features/otp/records.ts'
import { parseOtp } from '../../src/features/otp/yubico-otp.ts'
import type { User } from '../../src/features/users/records.ts'
import { sealedUser, userRecord } from '../../src/features/users/user-seals.ts'
import type { SealedRecord } from '../../src/hsm/hsm.ts'
import type { OnceShown } from '../../src/hsm/login-request.ts'
import { otpPurpose } from '../../src/hsm/provenance.ts'
import { withFactor } from '../../src/hsm/user-factors.ts'
import type { TestUser } from '../support/appliance.ts'
import { applianceForTests, workerForTests } from '../support/for-tests.ts'
import type { TestClient } from '../support/client.ts'
import { outcomeOf, outcomesOf } from '../support/step-outcome.ts'
import { accountRow } from '../support/user-row.ts'
import { grantOfSession } from '../support/session-grant.ts'

/**
 * The attacker runs code in a worker and has a session of a user. He wants a second factor of his own that outlasts the
 * session. He gets it only with a factor of the user that passes through the worker, then only once, and it is
 * recorded.
 */
const appliance = applianceForTests()
const worker = workerForTests(appliance)
let victim: TestUser
let session: TestClient

beforeAll(async () => {
  victim = await appliance.addUser()
  session = await appliance.login(victim)
})

const grantOf = (client: TestClient): Promise<SealedRecord> => grantOfSession(appliance, worker, client)

/** An OTP by the hardware token of this user. */
async function otpOf(user: TestUser, otp = user.hardwareToken.press()): Promise<OnceShown> {
  const [device] = await devicesOf(appliance.store.read, user.id, 'hwkey_otp')
  const block = parseOtp(otp)?.block
  if (device === undefined || block === undefined) throw new Error('no hardware token')
  return { certificate: undefined, devices: [stateOf(device)], otp: { block } }
}

async function freshGrant(user = victim, by = session): Promise<SealedRecord> {
  return worker.freshGrant(await grantOf(by), sealedUser(await accountRow(appliance, user)), await otpOf(user))
}

/** Seals a device for a user whose seed the attacker knows. */
async function ownDevice(userId: number | null, grant: SealedRecord): Promise<Buffer> {
  const { provenance, ...wrapped } = await worker.importSecret('otp-hmac-sha1', randomBytes(20), otpPurpose)
  const codes = { kind: 'totp', keyKind: 'otp-hmac-sha1', digits: 6, periodSeconds: 30 } as const
  const record = deviceRecord({ ...codes, ...wrapped, publicId: null, userId, privateIdCheck: null })
  await worker.seal(record, { provenance, grant })
  return record
}

/** Seals the next row of a user, with these changes. */
async function change(user: Pick<TestUser, 'id'>, changes: Partial<User>, grant: SealedRecord): Promise<void> {
  const before = await accountRow(appliance, user)
  const next = userRecord({ ...before, generation: before.generation + 1, ...changes })
  await worker.seal(next, { previous: sealedUser(before), grant })
}

const gained = async (user: Pick<TestUser, 'id'>, record: Buffer) => ({
  factors: withFactor((await accountRow(appliance, user)).factors, record),
})

describe('a fresh grant', () => {
  it('lets the user take a factor, and changes nothing else, of nobody else', async () => {
    const grant = await freshGrant()
    const other = await appliance.addUser()
    const device = await ownDevice(victim.id, grant)
    const capabilities = capabilitiesOf(['read', 'active', 'admin'])
    const outcomes = await outcomesOf({
      capabilities: () => change(victim, { capabilities }, grant),
      name: () => change(victim, { username: 'mallory' }, grant),
      passphrase: () => change(victim, { passphraseCheck: randomBytes(48) }, grant),
      'the device of another': () => ownDevice(other.id, grant),
      'a device in stock': () => ownDevice(null, grant),
      'the row of another': async () => change(other, await gained(other, device), grant),
      'a factor in place of the own': () => change(victim, { factors: withFactor(Buffer.alloc(0), device) }, grant),
      'two factors at once': async () =>
        change(
          victim,
          { factors: withFactor((await gained(victim, device)).factors, await ownDevice(victim.id, grant)) },
          grant,
        ),
      'no factor': () => change(victim, { factors: Buffer.alloc(0) }, grant),
    })
    expect(outcomes).toEqual({
      capabilities: 'hsm.rejected',
      name: 'hsm.rejected',
      passphrase: 'hsm.rejected',
      'the device of another': 'hsm.rejected',
      'a device in stock': 'hsm.rejected',
      'the row of another': 'hsm.rejected',
      'a factor in place of the own': 'hsm.rejected',
      'two factors at once': 'hsm.rejected',
      'no factor': 'hsm.rejected',
    })
    expect(await outcomeOf(change(victim, await gained(victim, device), await grantOf(session)))).toBe('hsm.rejected')
    expect(await outcomeOf(change(victim, await gained(victim, device), grant))).toBe('done')
  })

  it('is of one generation of the user: after a change it makes no other', async () => {
    const user = await appliance.addUser()
    const grant = await freshGrant(user, await appliance.login(user))
    const device = await ownDevice(user.id, grant)
    // The user changes the pass phrase meanwhile, or has already changed it.
    await appliance.login(user)
    const later = await accountRow(appliance, user)
    const next = { ...later, generation: later.generation + 1 }
    const nextRecord = userRecord(next)
    const nextSeal = await appliance.hsm.seal(nextRecord, { previous: sealedUser(later) })
    await worker.raise([{ record: nextRecord, seal: nextSeal }])
    const factors = withFactor(next.factors, device)
    const after = userRecord({ ...next, factors, generation: next.generation + 1 })
    const asked = worker.seal(after, { previous: { record: nextRecord, seal: nextSeal }, grant })
    expect(await outcomeOf(asked)).toBe('hsm.rejected')
  })

  it('is given for a factor that is right, of this user, and not used before', async () => {
    const [grant, row] = [await grantOf(session), sealedUser(await accountRow(appliance, victim))]
    const other = await appliance.addUser()
    const used = await otpOf(victim)
    expect(await outcomeOf(worker.freshGrant(grant, row, used))).toBe('done')
    const wrong = { ...used, otp: { block: randomBytes(16) } }
    const none = { ...used, devices: [] }
    const outcomes = await outcomesOf({
      used: () => worker.freshGrant(grant, row, used),
      wrong: () => worker.freshGrant(grant, row, wrong),
      none: () => worker.freshGrant(grant, row, none),
      'of another user': async () => worker.freshGrant(grant, row, await otpOf(other)),
      'for another user': async () =>
        worker.freshGrant(grant, sealedUser(await accountRow(appliance, other)), await otpOf(other)),
      'by itself': async () => worker.freshGrant(await freshGrant(), row, await otpOf(victim)),
    })
    expect(outcomes).toEqual({
      used: 'login.refused',
      wrong: 'login.refused',
      none: 'login.refused',
      'of another user': 'login.refused',
      'for another user': 'hsm.rejected',
      'by itself': 'hsm.rejected',
    })
  })

  it('is given to no session that has ended', async () => {
    const user = await appliance.addUser()
    const client = await appliance.login(user)
    const grant = await grantOf(client)
    const row = sealedUser(await accountRow(appliance, user))
    const found = await findSealedSession(appliance.store.read, sessionTokenHash(client.token ?? ''))
    if (found === undefined) throw new Error('no session')
    await worker.endSessions([found.sealed])
    expect(await outcomeOf(worker.freshGrant(grant, row, await otpOf(user)))).toBe('session.invalid')
  })
})
