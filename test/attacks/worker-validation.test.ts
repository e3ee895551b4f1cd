import { createHmac, randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { clientKey, clientRecord, findClient, sealClient } from '../../src/features/otp-validation/records.ts'
import { devicesOf, stateOf } from '../../src/features/otp/records.ts'
import { parseOtp } from '../../src/features/otp/yubico-otp.ts'
import { sealedUser } from '../../src/features/users/user-seals.ts'
import type { SealedRecord } from '../../src/hsm/hsm.ts'
import type { OtpState } from '../../src/hsm/otp-use.ts'
import type { TestUser } from '../support/appliance.ts'
import { applianceForTests, workerForTests } from '../support/for-tests.ts'
import { rawSeal } from '../support/raw-seal.ts'
import { outcomeOf } from '../support/step-outcome.ts'
import { accountRow } from '../support/user-row.ts'

/**
 * The attacker runs code in a worker. A program that asks the validator should believe him that an OTP is valid. He has
 * the workers' sockets and every record of the database.
 */
const appliance = applianceForTests()
const worker = workerForTests(appliance)
let client: SealedRecord
let clientKeyBytes: Buffer
let user: TestUser

beforeAll(async () => {
  user = await appliance.addUser()
  const { client: made, key } = await addClient('a program')
  client = made
  clientKeyBytes = Buffer.from(key, 'base64')
})

async function addClient(name: string): Promise<{ readonly client: SealedRecord; readonly key: string }> {
  const { services, commit, store } = appliance
  const { id, key } = await services.validationClients.add({ name, allowUnsigned: false }, commit)
  const row = await findClient(store.read, id)
  if (row === undefined) throw new Error('no client of the validator')
  return { client: clientKey(row).key, key }
}

async function givenOtp(holder: TestUser = user) {
  const [device] = await devicesOf(appliance.store.read, holder.id, 'hwkey_otp')
  const otp = holder.hardwareToken.press()
  const block = parseOtp(otp)?.block
  if (device === undefined || block === undefined) throw new Error('no hardware token')
  return { otp, block, state: stateOf(device), holder: await shownHolder(holder), id: device.id }
}

const shownHolder = async (user: TestUser): Promise<SealedRecord> => sealedUser(await accountRow(appliance, user))

/** What a worker shows the keeper for an acceptance. */
interface Given {
  readonly state: OtpState
  readonly holder: SealedRecord
  readonly block: Buffer
}

const accepted = ({ state, holder, block }: Given, text: string, by = client): Promise<Buffer | undefined> =>
  worker.acceptOtp(by, state, holder, { block, answer: text })

const answer = (otp: string, status: string): string =>
  `nonce=0123456789abcdef&otp=${otp}&sl=100&status=${status}&t=2026-01-01T00:00:00Z0123`
const rejected = { code: 'hsm.rejected' }

describe('an acceptance', () => {
  it('is signed by no token host, in whatever form', async () => {
    const { otp } = await givenOtp()
    const refusal = answer(otp, 'BAD_OTP')
    for (const text of [
      answer(otp, 'OK'),
      `${refusal}&status=OK`,
      `status=OK&${refusal}`,
      refusal.replace('sl=100', 'sl=100\r\nstatus=OK\r\n'),
      refusal.replace('status=', 'status=OK=').replace('BAD_OTP', ''),
    ])
      await expect(worker.signValidation(client, text), text).rejects.toMatchObject(rejected)
    const mac = await worker.signValidation(client, refusal)
    expect(mac).toEqual(createHmac('sha1', clientKeyBytes).update(refusal).digest())
  })

  it('is signed by the keeper for an OTP that is good, once, and for that one alone', async () => {
    const given = await givenOtp()
    const later = await givenOtp()
    const text = answer(given.otp, 'OK')
    for (const [what, wrong] of [
      ['another OTP', answer(later.otp, 'OK')],
      ['none', 'status=OK&t=2026-01-01'],
      ['no acceptance', answer(given.otp, 'BAD_OTP')],
      ['two verdicts', `${text}&status=BAD_OTP`],
    ] as const)
      await expect(accepted(given, wrong), what).rejects.toMatchObject(rejected)
    expect(await accepted(given, text)).toEqual(createHmac('sha1', clientKeyBytes).update(text).digest())
    expect(await accepted(given, text)).toBeUndefined()
    expect(await accepted({ ...given, state: { ...given.state, counter: 0 } }, text)).toBeUndefined()
  })

  it('is signed for no OTP that was made up, was used in a login, or is of another kind of device', async () => {
    const given = await givenOtp()
    const text = answer(given.otp, 'OK')
    const made = randomBytes(16)
    const madeText = answer(`${given.otp.slice(0, 12)}${modhex(made)}`, 'OK')
    expect(await accepted({ ...given, block: made }, madeText)).toBeUndefined()
    expect(await worker.useOtp([given.state], { block: given.block })).toMatchObject({ outcome: 'good' })
    expect(await accepted(given, text)).toBeUndefined()
    const [totp] = await devicesOf(appliance.store.read, user.id, 'totp')
    if (totp === undefined) throw new Error('no app')
    await expect(accepted({ ...given, state: stateOf(totp) }, text)).rejects.toMatchObject(rejected)
  })

  it('is signed for no token that was taken from its holder, or whose holder was disabled', async () => {
    const [taken, disabled] = [await appliance.addUser(), await appliance.addUser()]
    const [ofTaken, ofDisabled] = [await givenOtp(taken), await givenOtp(disabled)]
    const admin = await appliance.login(await appliance.addUser(['read', 'active', 'admin']))
    await admin.must('DELETE', `/user/${taken.id}/otp/${ofTaken.id}`)
    await admin.must('PUT', `/user/${disabled.id}`, { status: [0] })
    for (const [of, given] of [
      [taken, ofTaken],
      [disabled, ofDisabled],
    ] as const) {
      const text = answer(given.otp, 'OK')
      await expect(accepted(given, text)).rejects.toMatchObject({ code: 'hsm.outdated' })
      expect(await accepted({ ...given, holder: await shownHolder(of) }, text)).toBeUndefined()
      expect(await accepted({ ...given, holder: await shownHolder(user) }, text)).toBeUndefined()
      await expect(accepted({ ...given, holder: client }, text)).rejects.toMatchObject(rejected)
    }
  })

  it('is signed for no client that was revoked, and by no other key', async () => {
    const { client: revoked } = await addClient('leaving')
    const given = await givenOtp()
    const text = answer(given.otp, 'OK')
    await appliance.services.validationClients.revoke('leaving', appliance.commit)
    const row = (await appliance.services.validationClients.list()).find(({ name }) => name === 'leaving')
    if (row === undefined) throw new Error('no client')
    await expect(accepted(given, text, clientKey(row).key)).rejects.toMatchObject(rejected)
    // With its earlier row, which an attacker with the database has, too.
    await expect(accepted(given, text, revoked)).rejects.toMatchObject({ code: 'hsm.outdated' })
    await expect(worker.signValidation(revoked, answer(given.otp, 'BAD_OTP'))).rejects.toMatchObject({
      code: 'hsm.outdated',
    })
    await expect(accepted(given, text, given.state.device)).rejects.toMatchObject(rejected)
    const edited = { ...revoked, record: clientKey(row).key.record }
    await expect(accepted(given, text, edited)).rejects.toMatchObject({ code: 'hsm.seal_broken' })
    // None of these attempts used it up.
    expect(await accepted(given, text)).toHaveLength(20)
  })
})

it('a client that was revoked by a release that told no keeper so is told once the daemon runs', async () => {
  const { client: before } = await addClient('left long ago')
  const clients = await appliance.services.validationClients.list()
  const row = clients.find(({ name }) => name === 'left long ago')
  if (row === undefined) throw new Error('no client')
  const revoked = { ...row, revokedAt: 1 }
  const seal = rawSeal(appliance.token, clientRecord(revoked))
  await appliance.store.transaction((tx) => sealClient(tx, { ...revoked, seal }))
  const given = await givenOtp()
  // An altered row before it changes nothing.
  const [first] = clients
  if (first === undefined) throw new Error('no client')
  await appliance.store.transaction((tx) => sealClient(tx, { ...first, revokedAt: 1 }))
  expect(await outcomeOf(appliance.services.validationClients.showRevoked())).toBe('hsm.seal_broken')
  expect(await outcomeOf(accepted(given, answer(given.otp, 'OK'), before))).toBe('hsm.outdated')
})

const modhex = (bytes: Buffer): string =>
  Array.from(bytes.toString('hex'), (digit) => 'cbdefghijklnrtuv'[Number.parseInt(digit, 16)]).join('')
