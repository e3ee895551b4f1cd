import { hashRaw } from '@node-rs/argon2'
import { describe, expect, it } from 'vitest'
import { capabilitiesOf } from '../../src/access/capabilities.ts'
import { operatorId } from '../../src/access/confirmation.ts'
import { sealedApplicationKey } from '../../src/features/auth/application-key.ts'
import { devicesOf, stateOf } from '../../src/features/otp/records.ts'
import { noOtp } from '../../src/features/otp/otp.ts'
import { parseOtp } from '../../src/features/otp/yubico-otp.ts'
import { passwordPolicies } from '../../src/features/passwords/policies.ts'
import { createPassphrases } from '../../src/features/users/passphrase.ts'
import { sealedUser } from '../../src/features/users/user-seals.ts'
import type { LoginRequest } from '../../src/hsm/login-request.ts'
import { tryRulesOf } from '../../src/hsm/try-rules.ts'
import { TestAppliance, type TestUser } from '../support/appliance.ts'
import { applianceForTests, workerForTests } from '../support/for-tests.ts'
import { sealedRecord } from '../support/grant-kit.ts'
import { hotpCodes, totpCode } from '../support/hardware-token.ts'
import { loginRequest } from '../support/login-request.ts'
import { outcomeOf } from '../support/step-outcome.ts'
import { setCapabilities } from '../support/sealed-people.ts'
import { accountRow } from '../support/user-row.ts'

/**
 * The attacker runs code in a worker. He has its sockets and every record of the database, and bypasses the throttle of
 * logins, which is in the worker.
 */
const appliance = applianceForTests(() =>
  TestAppliance.own({
    login: { freeAttempts: 2, longestDelayMs: 900_000, argon2: { memoryKiB: 8192, passes: 1 } },
  }),
)
const worker = workerForTests(appliance)
let user: TestUser

const mostTries = () => tryRulesOf(appliance.config.login).burst

const stateOfDevice = async (kind: 'totp' | 'hotp' | 'hwkey_otp') => {
  const [device] = await devicesOf(appliance.store.read, user.id, kind)
  if (device === undefined) throw new Error(`no device ${kind}`)
  return stateOf(device)
}

describe('six digits', () => {
  it.each(['checkOtp', 'useOtp'] as const)('are not to be found by %s', async (operation) => {
    user = await appliance.addUser()
    const state = await stateOfDevice('totp')
    const right = new Set([-1, 0, 1, 2].map((step) => totpCode(user.totpSecret, Date.now() / 1000 + step * 30)))
    const guesses = Array.from({ length: 2 * mostTries() }, (_, at) => String(at).padStart(6, '0'))
    for (const code of guesses.filter((guess) => !right.has(guess)))
      expect(await worker[operation]([state], { code })).toMatchObject({ outcome: 'wrong' })
    // The right code comes too late, and the answer does not tell that it was right.
    const code = totpCode(user.totpSecret)
    expect(await worker[operation]([state], { code })).toMatchObject({ outcome: 'wrong', at: -1 })
  })

  it('are not to be found beside a device of the attacker, or with another state of the counter', async () => {
    user = await appliance.addUser()
    const state = await stateOfDevice('totp')
    const wrongCodes = Array.from({ length: mostTries() }, (_, at) => String(at).padStart(8, '0'))
    for (const [at, code] of wrongCodes.entries()) await worker.checkOtp([{ ...state, driftSteps: at % 5 }], { code })
    const own = await appliance.addUser()
    const [mine] = await devicesOf(appliance.store.read, own.id, 'totp')
    if (mine === undefined) throw new Error('no device')
    const code = totpCode(user.totpSecret)
    expect(await worker.checkOtp([state], { code })).toMatchObject({ outcome: 'wrong' })
    // Otherwise codes of his own device would earn tries for the other one. Devices are judged only together with the
    // user who holds them.
    for (const asked of [worker.checkOtp, worker.useOtp])
      expect(await outcomeOf(asked([stateOf(mine), state], { code }))).toBe('hsm.rejected')
    const mallory = sealedUser(await accountRow(appliance, own))
    expect(await worker.checkOtp([stateOf(mine), state], { code }, mallory)).toMatchObject({ outcome: 'wrong' })
    // His own device still works.
    const mineAlone = await worker.checkOtp([stateOf(mine)], { code: totpCode(own.totpSecret) })
    expect(mineAlone.outcome).toBe('good')
  })

  it('are tried on a device once, however often it is shown, each time with another drift or counter', async () => {
    user = await appliance.addUser()
    const totp = await stateOfDevice('totp')
    const ahead = 4
    const code = totpCode(user.totpSecret, Date.now() / 1000 + ahead * 30)
    const shown = [totp, { ...totp, driftSteps: ahead }]
    const holder = sealedUser(await accountRow(appliance, user))
    // Of the last allowed try sixteen would otherwise be made.
    expect(await worker.checkOtp(shown, { code }, holder)).toMatchObject({ outcome: 'wrong' })
    const request = await loginRequest(appliance, user, { certificate: undefined, devices: shown, otp: { code } })
    await expect(worker.login(request)).rejects.toMatchObject({ code: 'login.refused' })
    expect(await worker.checkOtp(shown.slice(1), { code }, holder)).toMatchObject({ outcome: 'good' })
  })

  it('are not to be found by resynchronising, nor after the keeper was killed', async () => {
    user = await appliance.addUser()
    const { enrolments } = appliance.services
    const { secret } = await enrolments.enrolCodes(user, { kind: 'hotp' }, operatorId, appliance.commit)
    const state = await stateOfDevice('hotp')
    const [first = '', second = '', third = ''] = hotpCodes(secret, 0, { count: 3 })
    for (let at = 0; at < mostTries(); at++)
      expect(await worker.resynchroniseOtp(state, [`${10_000_000 + at}`, second])).toBeUndefined()
    expect(await worker.resynchroniseOtp(state, [first, second])).toBeUndefined()
    await appliance.restart('SIGKILL')
    expect(await worker.resynchroniseOtp(state, [second, third])).toBeUndefined()
  })
})

describe('a one-time password', () => {
  it('is good once, whatever the worker says of the counter', async () => {
    user = await appliance.addUser()
    const [totp, block] = [await stateOfDevice('totp'), parseOtp(user.hardwareToken.press())?.block ?? Buffer.alloc(0)]
    const token = await stateOfDevice('hwkey_otp')
    const code = totpCode(user.totpSecret)
    expect(await worker.useOtp([totp], { code })).toMatchObject({ outcome: 'good' })
    expect(await worker.useOtp([token], { block })).toMatchObject({ outcome: 'good' })
    for (const counter of [0, totp.counter, 1])
      expect(await worker.useOtp([{ ...totp, counter }], { code })).toMatchObject({ outcome: 'wrong' })
    expect(await worker.useOtp([{ ...token, counter: 0 }], { block })).toMatchObject({ outcome: 'used' })
    const parallel = parseOtp(user.hardwareToken.press())?.block ?? Buffer.alloc(0)
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => worker.useOtp([token], { block: parallel })))
    expect(outcomes.filter(({ outcome }) => outcome === 'good')).toHaveLength(1)
  })

  it('is not to be computed: no key of a device serves another use', async () => {
    user = await appliance.addUser()
    const { device } = await stateOfDevice('totp')
    const refused = { code: 'hsm.rejected' }
    const answer = 'otp=x&status=BAD_OTP&t=2026'
    await expect(worker.signValidation(device, answer)).rejects.toMatchObject(refused)
    await expect(worker.verifyValidation(device, answer, Buffer.alloc(20))).rejects.toMatchObject(refused)
    await expect(worker.hmac({ key: device }, Buffer.alloc(8))).rejects.toMatchObject(refused)
  })
})

describe('a session', () => {
  /** The login request of an honest worker for this user. */
  async function shownFor(shown: TestUser): Promise<LoginRequest> {
    user = shown
    const devices = [await stateOfDevice('hwkey_otp')]
    const block = parseOtp(shown.hardwareToken.press())?.block ?? Buffer.alloc(0)
    return loginRequest(appliance, shown, { certificate: undefined, devices, otp: { block } })
  }

  const refused = { code: 'login.refused' }

  it('begins with all that is right, once', async () => {
    const right = await shownFor(await appliance.addUser())
    const begun = await worker.login(right)
    expect(begun.token).toMatch(/^[A-Za-z0-9]{42}$/)
    expect(begun.expiresAt - begun.createdAt).toBe(appliance.config.session.absoluteTimeoutMs)
    await expect(worker.login(right)).rejects.toMatchObject(refused)
  })

  it('does not begin with anything wrong, and the OTP is used up by that', async () => {
    const [victim, own] = [await appliance.addUser(), await appliance.addUser()]
    const mine = await shownFor(own)
    const { key: otherText } = await appliance.services.applicationKeys.create('another', appliance.commit)
    const certificate = sealedRecord(appliance.token, 'user certificate', {
      userId: victim.id,
      fingerprint: 'ab'.repeat(32),
      der: Buffer.alloc(1),
    })
    const wrong: [string, (right: LoginRequest) => LoginRequest][] = [
      ['the pass phrase of another', (right) => ({ ...right, hash: mine.hash })],
      ['a device of another', (right) => ({ ...right, factor: mine.factor })],
      ['no device', (right) => ({ ...right, factor: { certificate: undefined, devices: [], otp: noOtp } })],
      ['the text of another application key', (right) => ({ ...right, applicationKeyText: Buffer.from(otherText) })],
      ['no application key', (right) => ({ ...right, applicationKey: undefined })],
      ['no user', (right) => ({ ...right, user: undefined })],
      ['a certificate, while smartcards are off', (right) => ({ ...right, factor: { certificate } })],
      ['a certificate, and a wrong pass phrase', (right) => ({ ...right, hash: mine.hash, factor: { certificate } })],
    ]
    for (const [what, edit] of wrong) {
      const right = await shownFor(victim)
      await expect(worker.login(edit(right)), what).rejects.toMatchObject(refused)
    }
    const right = await shownFor(victim)
    await expect(worker.login({ ...right, hash: mine.hash })).rejects.toMatchObject(refused)
    await expect(worker.login(right)).rejects.toMatchObject(refused)
  })

  it('does not begin for who may not log in, with a revoked key, or with records of before', async () => {
    const victim = await appliance.addUser()
    const before = await shownFor(victim)
    await setCapabilities(appliance, victim.id, 0)
    await expect(worker.login(before)).rejects.toMatchObject({ code: 'hsm.outdated' })
    await expect(worker.login(await shownFor(victim))).rejects.toMatchObject(refused)
    await setCapabilities(appliance, victim.id, capabilitiesOf(['read', 'active']))
    const { key: text } = await appliance.services.applicationKeys.create('revoked', appliance.commit)
    const key = await appliance.services.applicationKeys.find(text)
    if (key === undefined) throw new Error('no application key')
    await appliance.services.applicationKeys.revoke('revoked', appliance.commit)
    const application = { applicationKey: sealedApplicationKey(key), applicationKeyText: Buffer.from(text) }
    const shown = { ...(await shownFor(victim)), ...application }
    await expect(worker.login(shown)).rejects.toMatchObject({ code: 'hsm.outdated' })
  })
})

describe('a part of a login', () => {
  const wrongHash = Buffer.alloc(32, 1)
  const press = (holder: TestUser) => parseOtp(holder.hardwareToken.press())?.block ?? Buffer.alloc(0)

  async function partsOf(holder: TestUser) {
    user = holder
    const [token, totp] = [await stateOfDevice('hwkey_otp'), await stateOfDevice('totp')]
    const byToken = () => ({ certificate: undefined, devices: [token], otp: { block: press(holder) } })
    const byCode = (code: string) => ({ certificate: undefined, devices: [totp], otp: { code } })
    return { totp, byToken, byCode, right: await loginRequest(appliance, holder, byToken()) }
  }

  const refused = { code: 'login.refused' }

  it('is not to be found, as the pass phrase, by one who has the second factor and the application key', async () => {
    const { byToken, right } = await partsOf(await appliance.addUser())
    for (let at = 0; at < mostTries(); at++)
      await expect(worker.login({ ...right, hash: wrongHash, factor: byToken() })).rejects.toMatchObject(refused)
    await expect(worker.login({ ...right, factor: byToken() })).rejects.toMatchObject(refused)
    // A login without another part is no way to continue either: it is refused whatever the pass phrase is.
    await expect(worker.login({ ...right, applicationKeyText: Buffer.from('x') })).rejects.toMatchObject(refused)
  })

  it('is not to be found, as six digits, with whatever pass phrase and application key', async () => {
    const { totp, byCode, right } = await partsOf(await appliance.addUser())
    const wrongParts = [{ hash: wrongHash }, { applicationKey: undefined }, { user: undefined }, {}]
    // An unnamed user has no device: these requests do not count.
    const [asked, askedForNothing] = [mostTries(), Math.ceil(mostTries() / 3)]
    for (let at = 0; at < asked + askedForNothing; at++) {
      const factor = byCode(String(10_000_000 + at))
      const wrong = { ...right, ...wrongParts[at % wrongParts.length], factor }
      await expect(worker.login(wrong)).rejects.toMatchObject(refused)
    }
    const code = totpCode(user.totpSecret)
    expect(await worker.checkOtp([totp], { code })).toMatchObject({ outcome: 'wrong' })
    await expect(worker.login({ ...right, factor: byCode(code) })).rejects.toMatchObject(refused)
  })

  it('that is wrong for a stranger does not keep the user out: such a login is refused whatever the pass phrase is', async () => {
    const { byToken, right } = await partsOf(await appliance.addUser())
    const none = { certificate: undefined, devices: [], otp: noOtp }
    for (let at = 0; at < 2 * mostTries(); at++) {
      const wrong = at % 2 === 0 ? { factor: none } : { factor: byToken(), applicationKeyText: Buffer.from('x') }
      await expect(worker.login({ ...right, hash: wrongHash, ...wrong })).rejects.toMatchObject(refused)
      await expect(worker.login({ ...right, ...wrong, factor: none })).rejects.toMatchObject(refused)
    }
    expect(await worker.login({ ...right, factor: byToken() })).toMatchObject({ isCheckCurrent: true })
  })
})

describe('a pass phrase', () => {
  const givenRecord = async () => {
    user = await appliance.addUser()
    const row = await accountRow(appliance, user)
    const cost = { memoryCost: 8, timeCost: 1, parallelism: 1, outputLen: 32 }
    const [memoryCost, timeCost] = row.passphraseCost.match(/\d+/g)?.map(Number) ?? []
    const right = { ...cost, ...(memoryCost && timeCost && { memoryCost, timeCost }), salt: row.passphraseSalt }
    return { row, hash: (guess: string) => hashRaw(guess, right), guess: (at: number) => hashRaw(`${at}`, { ...cost }) }
  }

  it('is not to be searched for by asking whether it is right', async () => {
    const { row, hash, guess } = await givenRecord()
    for (let at = 0; at < mostTries(); at++)
      expect(await worker.matchesPassphrase(row.passphraseCheck, await guess(at))).toBe(false)
    expect(await worker.matchesPassphrase(row.passphraseCheck, await hash(user.passphrase))).toBe(false)
  })

  it('is not to be recognised by its check: two of one pass phrase are not alike', async () => {
    const { row, hash } = await givenRecord()
    const own = await worker.newPassphraseCheck(await hash(user.passphrase))
    expect(own).toHaveLength(row.passphraseCheck.length)
    expect(own.subarray(16)).not.toEqual(row.passphraseCheck.subarray(16))
    // A check value without its nonce, as in earlier releases, is another one.
    const bare = row.passphraseCheck.subarray(16)
    expect(await worker.matchesPassphrase(bare, await hash(user.passphrase))).toBe(false)
    expect(await worker.matchesPassphrase(row.passphraseCheck, await hash(user.passphrase))).toBe(true)
  })
})

it('of a user who is not known, or without the second factor, a wrong pass phrase charges nothing and alarms nobody', async () => {
  const warnings = () => appliance.journal.split('A limit of wrong tries was reached').length
  const before = warnings()
  const [policy] = passwordPolicies
  if (policy === undefined) throw new Error('no policy')
  const hashPassphrase = () => Promise.resolve(Buffer.alloc(32, 1))
  const passphrases = createPassphrases({ hsm: worker, cost: appliance.config.login.argon2, policy, hashPassphrase })
  for (let at = 0; at <= mostTries(); at++) expect(await passphrases.check('wrong', undefined)).toBe(false)
  // A known check value counts as one.
  const row = await accountRow(appliance, await appliance.addUser())
  for (let at = 0; at < mostTries(); at++) await worker.matchesPassphrase(row.passphraseCheck, Buffer.alloc(32, 1))
  await expect.poll(warnings).toBe(before + 1)
})

describe('the pepper', () => {
  it('meets no bytes that the worker composed', async () => {
    const refused = { code: 'hsm.rejected' }
    const [hash, prefixed] = [Buffer.alloc(32), Buffer.concat([Buffer.from('passphrase\0'), Buffer.alloc(32)])]
    await expect(worker.newPassphraseCheck(prefixed)).rejects.toMatchObject(refused)
    await expect(worker.privateIdCheck(hash)).rejects.toMatchObject(refused)
    await expect(worker.sessionTokenSuccessor('passphrase\0'.padEnd(42, 'A'))).rejects.toMatchObject(refused)
    const seeds = { kind: 'totp', keyKind: 'otp-hmac-sha1', periodSeconds: 30 } as const
    await expect(worker.seedChecks(seeds, Buffer.alloc(6))).rejects.toMatchObject(refused)
    const made = [
      ...(await worker.applicationKeyChecks('A'.repeat(42))),
      await worker.sessionTokenSuccessor('A'.repeat(42)),
      ...(await worker.seedChecks(seeds, Buffer.from('A'.repeat(42)))),
    ].map((mac) => mac.toString('hex'))
    expect(made.length).toBe(3)
    expect(new Set(made).size).toBe(made.length)
  })
})
