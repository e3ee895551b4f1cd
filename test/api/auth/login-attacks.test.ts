import { operatorId } from '../../../src/access/confirmation.ts'
import { existsSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { createServices } from '../../../src/daemon/services.ts'
import { twoWorkers, TestAppliance, type TestUser } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { expectFault, type Answer } from '../../support/client.ts'
import { HardwareToken, hotpCodes, totpCode } from '../../support/hardware-token.ts'

/** The attacker has seen an OTP, has a copy of a token, or can change a clock. */

const freeAttempts = 60
const appliance = applianceForTests(() =>
  TestAppliance.own({
    ...twoWorkers,
    login: { freeAttempts, firstDelayMs: 900_000, argon2: { memoryKiB: 8192, passes: 1 } },
  }),
)

const logIn = (user: TestUser, otp: string, logintype = 'hwkey_otp'): Promise<Answer> =>
  appliance.client().post('/auth', { ...appliance.credentials(user), otp, logintype })
const warningsOf = ({ json }: Answer) => (json.CALLINFO['audit'] as { warnings: unknown }).warnings
const nowSeconds = () => Math.floor(Date.now() / 1000)

/** A user with an additional HOTP device. */
async function withHotp(): Promise<{ user: TestUser; hotp: (at: number) => string }> {
  const user = await appliance.addUser()
  const { secret } = await appliance.services.enrolments.enrolCodes(
    user,
    { kind: 'hotp' },
    operatorId,
    appliance.commit,
  )
  return { user, hotp: (at) => hotpCodes(secret, at)[0] ?? '' }
}

/** A valid OTP of each kind, for a new user. */
const kinds: readonly (readonly [string, () => Promise<{ user: TestUser; otp: string; logintype: string }>])[] = [
  [
    'a hardware token',
    async () => {
      const user = await appliance.addUser()
      return { user, otp: user.hardwareToken.press(), logintype: 'hwkey_otp' }
    },
  ],
  [
    'TOTP',
    async () => {
      const user = await appliance.addUser()
      return { user, otp: totpCode(user.totpSecret), logintype: 'totp' }
    },
  ],
  [
    'HOTP',
    async () => {
      const { user, hotp } = await withHotp()
      return { user, otp: hotp(0), logintype: 'totp' }
    },
  ],
]

describe.each(kinds)('replay, %s', (_what, given) => {
  it('50 in parallel over all workers: one is good', async () => {
    const { user, otp, logintype } = await given()
    const answers = await Promise.all(Array.from({ length: 50 }, () => logIn(user, otp, logintype)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(49)
  })
})

describe.each(['SIGTERM', 'SIGKILL'] as const)('replay after a restart by %s', (signal) => {
  const replays = new Map<string, () => Promise<Answer>>()

  beforeAll(async () => {
    for (const [what, given] of kinds) {
      const { user, otp, logintype } = await given()
      replays.set(what, () => logIn(user, otp, logintype))
      expect((await replays.get(what)?.())?.status).toBe(200)
    }
    await appliance.restart(signal)
  })

  it.each(kinds.map(([what]) => what))('%s: refused', async (what) => {
    const answer = await replays.get(what)?.()
    expectFault(answer as Answer, 403, 1201)
  })
})

describe('the power goes', () => {
  it('between check and reply: the OTP is used up though nobody heard of it', async () => {
    const { store, hsm, config } = appliance
    // The check of this user's pass phrase takes so long that the kill precedes the reply.
    const login = { ...config.login, argon2: { ...config.login.argon2, memoryKiB: 65_536, passes: 16 } }
    const append = () => Promise.resolve()
    const slow = createServices({
      config: { ...config, login },
      store,
      hsm,
      clock: systemClock,
      audit: { append },
    })
    const user = await appliance.addUser()
    const fields = {
      fullname: 'Slow Example',
      email: 's@example.test',
      capabilities: 0x83,
      passphrase: user.passphrase,
    }
    const { id, username } = await slow.users.create(
      { ...fields, username: 'slow-example' },
      operatorId,
      appliance.commit,
    )
    const hardwareToken = new HardwareToken()
    await slow.enrolments.enrolHardwareToken(id, hardwareToken.secrets(), operatorId, appliance.commit)
    const slowUser = { ...user, id, username, hardwareToken }

    const otp = hardwareToken.press()
    const unanswered = logIn(slowUser, otp).then(
      ({ status }) => status,
      () => 'no answer',
    )
    const counterOf = async () =>
      (await store.query<{ counter: number }>('SELECT counter FROM otp_devices WHERE user_id = $1', [id]))[0]?.counter
    await expect.poll(counterOf, { interval: 5 }).toBe(257)
    await appliance.restart('SIGKILL')
    expect(await unanswered).toBe('no answer')
    expectFault(await logIn(slowUser, otp), 403, 1201)
    expect((await logIn(slowUser, hardwareToken.press())).status).toBe(200)
  })
})

describe('an OTP of a hardware token', () => {
  type Trial = (token: HardwareToken, user: TestUser) => string | Promise<string>
  // Each token has logged in with the counters (10, 5) before.
  const refused: readonly (readonly [string, Trial])[] = [
    ['the same counters', (token) => token.otpAt(10, 5)],
    ['a lower session use', (token) => token.otpAt(10, 4)],
    ['a lower use counter', (token) => token.otpAt(9, 255)],
    ['a lower use counter, typed with caps lock on', (token) => token.otpAt(0x8000 | 9, 200)],
    ['another private id', (token) => token.otpAt(10, 6, { privateId: 'ffffffffffff' })],
    ['another key', (token) => token.otpAt(10, 6, { key: 'f'.repeat(32) })],
    ['a wrong checksum', (token) => token.otpInPython(10, 6, { badCrc: true })],
    ["another user's token", async () => (await appliance.addUser()).hardwareToken.press()],
    ["another user's token under the own public id", (token) => token.publicId + new HardwareToken().press().slice(12)],
    ['the last use counter', (token) => token.otpAt(0x7fff, 0)],
    ['the last use counter, typed with caps lock on', (token) => token.otpAt(0xffff, 1)],
    ['one character changed', (token) => token.otpAt(10, 6).replace(/.$/, (last) => (last === 'c' ? 'b' : 'c'))],
    ['a block of zeros', (token) => token.publicId + 'c'.repeat(32)],
    ['43 characters', (token) => token.otpAt(10, 6).slice(0, 43)],
    ['45 characters', (token) => `${token.otpAt(10, 6)}c`],
    ['a blank before it', (token) => ` ${token.otpAt(10, 6)}`],
  ]
  it.each(refused)('with %s: refused, and the next good one is not', async (_what, trial) => {
    const user = await appliance.addUser()
    const token = user.hardwareToken
    expect((await logIn(user, token.otpAt(10, 5))).status).toBe(200)
    expectFault(await logIn(user, await trial(token, user)), 403, 1201)
    expect((await logIn(user, token.otpAt(10, 6))).status).toBe(200)
  })

  it('of another implementation is as good', async () => {
    const user = await appliance.addUser()
    expect((await logIn(user, user.hardwareToken.otpInPython(3, 1))).status).toBe(200)
    expectFault(await logIn(user, user.hardwareToken.otpInPython(3, 1)), 403, 1201)
  })

  it('of a cloned token: the one that is behind is refused', async () => {
    const user = await appliance.addUser()
    const [one, clone] = [user.hardwareToken, Object.assign(new HardwareToken(), user.hardwareToken)]
    expect((await logIn(user, one.otpAt(20, 1))).status).toBe(200)
    expectFault(await logIn(user, clone.otpAt(19, 40)), 403, 1201)
    expect((await logIn(user, clone.otpAt(21, 1))).status).toBe(200)
    expectFault(await logIn(user, one.otpAt(20, 2)), 403, 1201)
  })

  it('that was kept for an hour: good, with a warning', async () => {
    const user = await appliance.addUser()
    const token = user.hardwareToken
    const { ticks } = token
    const hourAgo = async () =>
      appliance.sql(`UPDATE otp_devices SET used_at = used_at - 3600000 WHERE user_id = ${user.id}`)
    const trials: readonly (readonly [ticksLater: number, warnings: unknown])[] = [
      [0, []],
      [80, { otp_delayed: expect.stringContaining('some time before it was used') }],
      [80 + 8 * 3600, []],
    ]
    for (const [at, [later, warnings]] of trials.entries()) {
      const answer = await logIn(user, token.otpAt(10, at, { ticks: ticks + later }))
      expect([answer.status, warningsOf(answer)]).toEqual([200, warnings])
      await hourAgo()
    }
  })

  it('with a use counter far ahead: good, with a warning; the first one is not compared', async () => {
    const user = await appliance.addUser()
    const token = user.hardwareToken
    for (const [useCounter, warnings] of [
      [3000, []],
      [3050, []],
      [3101, { otp_counter: expect.stringContaining('51 times') }],
    ] as const) {
      const answer = await logIn(user, token.otpAt(useCounter, 1))
      expect([answer.status, warningsOf(answer)]).toEqual([200, warnings])
    }
  })

  it('near the end of its counter: good, with a warning; at the end refused, with an alarm', async () => {
    const user = await appliance.addUser()
    const token = user.hardwareToken
    const answer = await logIn(user, token.otpAt(0x7ffe, 255))
    expect([answer.status, warningsOf(answer)]).toEqual([200, { otp_wear: expect.stringContaining(' 1 more times') }])
    expectFault(await logIn(user, token.otpAt(0x7fff, 0)), 403, 1201)
    expect(recorded('otp.worn_out')).toContain(`user ${user.id}: OTP device ${token.publicId}`)
  })
})

describe('a code', () => {
  it('of HOTP that was passed over, or is too far ahead: refused', async () => {
    const { user, hotp } = await withHotp()
    for (const [at, status] of [
      [11, 403],
      [10, 200],
      [10, 403],
      [3, 403],
      [11, 200],
    ] as const)
      expect((await logIn(user, hotp(at), 'totp')).status, `counter ${at}`).toBe(status)
  })

  it.each([-600, 600])('of a clock that is %i seconds off: refused', async (seconds) => {
    const user = await appliance.addUser()
    expectFault(await logIn(user, totpCode(user.totpSecret, nowSeconds() + seconds), 'totp'), 403, 1201)
    expect((await logIn(user, totpCode(user.totpSecret), 'totp')).status).toBe(200)
  })

  it('guessed a hundred times at once: no more are looked at than are free', async () => {
    const { user, hotp } = await withHotp()
    const guesses = Array.from({ length: 100 }, (_, guess) => String(guess).padStart(6, '0'))
    const statuses = (await Promise.all(guesses.map((guess) => logIn(user, guess, 'totp')))).map(({ status }) => status)
    expect(statuses.filter((status) => status === 403)).toHaveLength(freeAttempts)
    expect(statuses.filter((status) => status === 429)).toHaveLength(100 - freeAttempts)
    expectFault(await logIn(user, hotp(0), 'totp'), 429, 1202)
  })
})

const faketime = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1'

describe.runIf(existsSync(faketime))('the clock of the appliance, set back by an hour', () => {
  it('makes no used code good again: codes are refused with an alarm, hardware tokens go on', async () => {
    const user = await appliance.addUser()
    const newcomer = await appliance.addUser()
    const used = totpCode(user.totpSecret)
    expect((await logIn(user, used, 'totp')).status).toBe(200)
    await appliance.restart('SIGTERM', {
      LD_PRELOAD: faketime,
      FAKETIME: '-1h',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    })
    try {
      const anHourAgo = totpCode(user.totpSecret, nowSeconds() - 3600)
      for (const code of [used, anHourAgo]) expectFault(await logIn(user, code, 'totp'), 403, 1201)
      expect(recorded('otp.clock_back').filter((subject) => subject.startsWith(`user ${user.id}:`))).toHaveLength(2)
      expect((await logIn(newcomer, totpCode(newcomer.totpSecret, nowSeconds() - 3600), 'totp')).status).toBe(200)
      expect((await logIn(user, user.hardwareToken.press())).status).toBe(200)
    } finally {
      await appliance.restart()
    }
    expectFault(await logIn(user, used, 'totp'), 403, 1201)
  })
})

/** The subjects of all records of this operation, by all workers. */
function recorded(operation: string): string[] {
  return appliance.trail
    .flatMap((text) => text.split('\n'))
    .filter((line) => line.includes(`"operation":"${operation}"`))
    .map((line) => /"subject":"([^"]*)"/.exec(line)?.[1] ?? '')
}
