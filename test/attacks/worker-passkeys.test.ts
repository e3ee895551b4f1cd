import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { useAssertionUp, UsedAssertionTable } from '../../src/features/auth/used-assertion-records.ts'
import { presentedPasskey } from '../../src/features/passkeys/presented-passkey.ts'
import { findByCredentialId, passkeyRecord, PasskeyTable, sealedPasskey } from '../../src/features/passkeys/records.ts'
import { sealedUser, userRecord } from '../../src/features/users/user-seals.ts'
import type { SealedRecord } from '../../src/hsm/hsm.ts'
import type { ShownPasskey } from '../../src/hsm/login-request.ts'
import { readPasskeyAssertion } from '../../src/hsm/passkey-assertion.ts'
import { writeChallenge } from '../../src/hsm/passkey-challenge.ts'
import { nextGeneration } from '../../src/hsm/record-generation.ts'
import { withFactor } from '../../src/hsm/user-factors.ts'
import { TestAppliance, type TestUser } from '../support/appliance.ts'
import { applianceForTests, workerForTests } from '../support/for-tests.ts'
import type { TestClient } from '../support/client.ts'
import { jwkOf } from '../support/jwk.ts'
import { loginRequest } from '../support/login-request.ts'
import { freshLogin, givenHolder, loginChallenge, ownChallenge } from '../support/passkey-kit.ts'
import { type AnswerEdits, type ShownAnswer, SoftAuthenticator, withPasskeys } from '../support/soft-authenticator.ts'
import { outcomeOf } from '../support/step-outcome.ts'
import { eventsOf } from '../support/trail.ts'
import { startKeeperAt } from '../support/turned-keeper.ts'
import { accountRow } from '../support/user-row.ts'
import { grantOfSession } from '../support/session-grant.ts'

/**
 * The attacker runs code in a worker, or has the database. He has captured the pass phrase of a user with a passkey,
 * reads the assertions that pass through the worker, and reads or changes rows. He gets no session without a fresh
 * assertion.
 */
const { rpId, origins } = withPasskeys.login.webauthn
const rules = { rpId, origins, userVerification: 'preferred' } as const
const appliance = applianceForTests(() => TestAppliance.own(withPasskeys))
const worker = workerForTests(appliance)
let victim: TestUser
let session: TestClient
let authenticator: SoftAuthenticator

beforeAll(async () => {
  ;({ user: victim, session, authenticator } = await givenHolder(appliance))
})

/** The form in which a worker shows an answer to the keeper. The passkey can be that of another authenticator. */
async function shownOf(answer: ShownAnswer, { credentialId } = authenticator): Promise<ShownPasskey> {
  const passkey = await findByCredentialId(appliance.store.read, credentialId)
  if (passkey === null) throw new Error('no passkey')
  return { passkey: sealedPasskey(passkey), signCount: 0, assertion: presentedPasskey(answer).assertion }
}

const asked = async (passkey: ShownPasskey, user: TestUser = victim) =>
  loginRequest(appliance, user, { certificate: undefined, passkey })

const logIn = async (answer: ShownAnswer, user?: TestUser, hsm = worker) =>
  outcomeOf(hsm.login(await asked(await shownOf(answer), user)))

const answered = async (edits?: AnswerEdits) => authenticator.answer(await loginChallenge(appliance), edits)

const grantOf = (client: TestClient): Promise<SealedRecord> => grantOfSession(appliance, worker, client)

describe('an assertion that a worker has read', () => {
  it('begins one session, whoever asks, also when the owner of the database takes all trace of it away', async () => {
    const body = await freshLogin(appliance, victim, authenticator)
    await appliance.client().must('POST', '/auth', body)
    expect(await logIn(body.passkey)).toBe('login.refused')
    await appliance.store.transaction(async (tx) => {
      await tx.clear(UsedAssertionTable)
      await tx.update(PasskeyTable, { userId: victim.id }, { signCount: 0, usedAt: null })
    })
    expect(await logIn(body.passkey)).toBe('login.refused')
    expect(await appliance.client().post('/auth', body)).toMatchObject({ status: 403 })
  })

  it('is used up by two requests at once, and after a restart of the keeper', async () => {
    const { user, authenticator: own } = await givenHolder(appliance, new SoftAuthenticator({ counts: false }))
    const answer = own.answer(await loginChallenge(appliance))
    const request = await asked(await shownOf(answer, own), user)
    const attempts = await Promise.all(Array.from({ length: 8 }, () => outcomeOf(worker.login(request))))
    expect(attempts.filter((outcome) => outcome === 'done')).toHaveLength(1)
    await appliance.restart()
    await expect.poll(() => outcomeOf(worker.login(request))).toBe('login.refused')
  })

  it('is refused by the row in the database where it was used at another machine, whose keeper has not told of it yet', async () => {
    const { user, authenticator: own } = await givenHolder(appliance, new SoftAuthenticator({ counts: false }))
    const body = await freshLogin(appliance, user, own)
    // The change that the other machine made in the database.
    const { assertion } = await shownOf(body.passkey, own)
    const { usedUp } = readPasskeyAssertion(assertion, rules, { session: undefined, now: Date.now() }) ?? {}
    if (usedUp === undefined) throw new Error('no assertion')
    await appliance.store.transaction((tx) => useAssertionUp(tx, usedUp(own.credentialId), Date.now()))
    expect(await appliance.client().post('/auth', body)).toMatchObject({ status: 403 })
    expect(await appliance.client().post('/auth', await freshLogin(appliance, user, own))).toMatchObject({
      status: 200,
    })
  })

  it('is of no other user', async () => {
    const other = await appliance.addUser()
    expect(await logIn(await answered(), other)).toBe('login.refused')
    const body = await freshLogin(appliance, other, authenticator)
    expect(await appliance.client().post('/auth', body)).toMatchObject({ status: 403 })
  })

  it.each<[string, AnswerEdits]>([
    ['of another origin', { origin: 'https://console.example.evil.test' }],
    ['of a frame in another page', { clientData: { crossOrigin: true } }],
    ['for another name', { rpId: 'evil.test' }],
    ['that is a registration', { type: 'webauthn.create' }],
    ['without a user', { flags: 0x04 }],
    ['that contradicts itself', { flags: 0x11 }],
    ['with something behind its data', { behind: randomBytes(4) }],
    ['that counts back', { signCount: 0 }],
    ['whose signature is another', { signature: randomBytes(70) }],
    ['whose signature is of zeros', { signature: Buffer.from('3006020100020100', 'hex') }],
  ])('%s begins none', async (_, edits) => {
    // Its counter goes on from here.
    expect(await logIn(await answered())).toBe('done')
    expect(await logIn(await answered(edits))).toBe('login.refused')
  })

  it('that counts back leaves a record, which names the passkey', async () => {
    const { user, authenticator: own, id } = await givenHolder(appliance)
    const records = () =>
      eventsOf(appliance).filter(
        ({ operation, subject }) => operation === 'passkey.count_back' && subject === `user ${user.id}: passkey ${id}`,
      )
    await appliance.client().must('POST', '/auth', await freshLogin(appliance, user, own))
    expect(records()).toEqual([])
    const copied = await freshLogin(appliance, user, own, { signCount: 0 })
    expect(await appliance.client().post('/auth', copied)).toMatchObject({ status: 403 })
    expect(records()).toMatchObject([{ outcome: 'noted', username: 'appliance' }])
  })
})

describe('a challenge', () => {
  it('is issued by the keeper, for what it is used for', async () => {
    const made = writeChallenge(randomBytes(16), { issuedAt: Date.now(), seal: randomBytes(32) }).toString('base64url')
    expect(await logIn(authenticator.answer(made))).toBe('login.refused')
    expect(await logIn(authenticator.answer(await ownChallenge(session)))).toBe('login.refused')
    const row = sealedUser(await accountRow(appliance, victim))
    const shown = async (challenge: string) => ({
      certificate: undefined,
      passkey: await shownOf(authenticator.answer(challenge)),
    })
    const other = await appliance.login(victim)
    for (const challenge of [await loginChallenge(appliance), await ownChallenge(other), made])
      expect(await outcomeOf(worker.freshGrant(await grantOf(session), row, await shown(challenge)))).toBe(
        'login.refused',
      )
    const right = await shown(await ownChallenge(session))
    expect(await outcomeOf(worker.freshGrant(await grantOf(session), row, right))).toBe('done')
  })

  it('ends after five minutes, and is not issued ahead', async () => {
    let ahead = 0
    const turned = await startKeeperAt(appliance, () => Date.now() + ahead)
    const answer = await answered()
    for (const wrong of [301_000, -120_000]) {
      ahead = wrong
      expect(await logIn(answer, victim, turned.hsm)).toBe('login.refused')
    }
    ahead = 200_000
    expect(await logIn(answer, victim, turned.hsm)).toBe('done')
    await turned.close()
  })

  it('asks for a user who is verified where the operator says so', async () => {
    const { config } = appliance
    const webauthn = { rpId, origins: [...origins], userVerification: 'required' as const }
    const strict = await startKeeperAt({ config: { ...config, login: { ...config.login, webauthn } } }, () =>
      Date.now(),
    )
    const present = 0x01
    expect(await logIn(await answered({ flags: present }), victim, strict.hsm)).toBe('login.refused')
    expect(await logIn(await answered(), victim, strict.hsm)).toBe('done')
    expect(await logIn(await answered({ flags: present }))).toBe('done')
    await strict.close()
  })
})

describe('a public key of the attacker', () => {
  const mine = new SoftAuthenticator()

  const recordOf = (userId: number): Buffer =>
    passkeyRecord({
      userId,
      credentialId: mine.credentialId,
      publicKey: JSON.stringify(jwkOf(mine.publicKey)),
    })

  it('is sealed for no user in a session, an administrator’s too', async () => {
    const administrator = await appliance.login(await appliance.addUser(['admin', 'active']))
    for (const grant of [undefined, await grantOf(session), await grantOf(administrator)])
      expect(await outcomeOf(worker.seal(recordOf(victim.id), { grant }))).toBe('hsm.rejected')
  })

  it('is sealed by a fresh grant for its user alone, and is a factor when the row of the user says so', async () => {
    const own = await givenHolder(appliance)
    const row = sealedUser(await accountRow(appliance, own.user))
    const shown = await shownOf(own.authenticator.answer(await ownChallenge(own.session)), own.authenticator)
    const fresh = await worker.freshGrant(await grantOf(own.session), row, { certificate: undefined, passkey: shown })
    expect(await outcomeOf(worker.seal(recordOf(victim.id), { grant: fresh }))).toBe('hsm.rejected')
    const record = recordOf(own.user.id)
    const seal = await worker.seal(record, { grant: fresh })
    const { assertion } = presentedPasskey(mine.answer(await loginChallenge(appliance)))
    const passkey = { passkey: { record, seal }, signCount: 0, assertion }
    for (const user of [own.user, victim])
      expect(await outcomeOf(worker.login(await asked(passkey, user)))).toBe('login.refused')
  })

  it('under the credential id of the victim’s passkey does not count for that one', async () => {
    const own = await givenHolder(appliance)
    const row = await accountRow(appliance, own.user)
    const shown = await shownOf(own.authenticator.answer(await ownChallenge(own.session)), own.authenticator)
    const factor = { certificate: undefined, passkey: shown }
    const grant = await worker.freshGrant(await grantOf(own.session), sealedUser(row), factor)
    const publicKey = JSON.stringify(jwkOf(mine.publicKey))
    const record = passkeyRecord({ userId: own.user.id, credentialId: authenticator.credentialId, publicKey })
    const seal = await worker.seal(record, { grant })
    const factors = withFactor(row.factors, record)
    const changed = userRecord({ ...row, factors, generation: nextGeneration(row.generation) })
    const user = { record: changed, seal: await worker.seal(changed, { previous: sealedUser(row), grant }) }
    const { assertion } = presentedPasskey(mine.answer(await loginChallenge(appliance), { signCount: 2 ** 32 - 1 }))
    const request = await asked({ passkey: { record, seal }, signCount: 0, assertion }, own.user)
    expect(await outcomeOf(worker.login({ ...request, user }))).toBe('done')
    expect(await logIn(await answered())).toBe('done')
  })

  it('in the row of the victim, or the row of another passkey given to the victim, opens nothing', async () => {
    const own = await givenHolder(appliance)
    const attempt = async () => appliance.client().post('/auth', await freshLogin(appliance, victim, own.authenticator))
    const { credentialId } = own.authenticator
    await appliance.store.transaction((tx) => tx.update(PasskeyTable, { credentialId }, { userId: victim.id }))
    expect((await attempt()).status).toBeGreaterThanOrEqual(400)
    const publicKey = JSON.stringify(jwkOf(own.authenticator.publicKey))
    await appliance.store.transaction(async (tx) => {
      await tx.delete(PasskeyTable, { credentialId })
      await tx.update(PasskeyTable, { credentialId: authenticator.credentialId }, { credentialId, publicKey })
    })
    expect((await attempt()).status).toBeGreaterThanOrEqual(400)
  })
})
