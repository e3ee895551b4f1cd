import { operatorId } from '../../../src/access/confirmation.ts'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { base32nopad } from '@scure/base'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CodeAlgorithm, CodeRequest } from '../../../src/features/otp/code-parameters.ts'
import { hotpCodes, totpCode } from '../../support/hardware-token.ts'
import type { TestUser } from '../../support/appliance.ts'
import { startBench, type OtpBench } from './otp-kit.ts'

interface Rfc4226 {
  readonly secretAscii: string
  readonly digits: number
  readonly codes: readonly string[]
}
type Rfc6238Code = { readonly seconds: number } & Readonly<Record<CodeAlgorithm, string>>
interface Rfc6238 {
  readonly digits: number
  readonly period: number
  readonly secretsAscii: Readonly<Record<CodeAlgorithm, string>>
  readonly codes: readonly Rfc6238Code[]
}

const vectors = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../vectors/${name}.json`, import.meta.url), 'utf8'))
const rfc4226 = vectors('rfc4226') as Rfc4226
const rfc6238 = vectors('rfc6238') as Rfc6238
const algorithms: readonly CodeAlgorithm[] = ['sha1', 'sha256', 'sha512']

let bench: OtpBench

beforeAll(async () => void (bench = await startBench()))
afterAll(() => bench.close())

async function given(request: CodeRequest): Promise<{ user: TestUser; secret: string; deviceId: number }> {
  const { services, appliance } = bench
  const user = await appliance.addUser()
  const { secret, device } = await services.enrolments.enrolCodes(user, request, operatorId, appliance.commit)
  return { user, secret, deviceId: device.id }
}

const at = (seconds: number): void => void (bench.clock.nowMs = seconds * 1000)

describe('the tables of the RFCs, made in the token', () => {
  it('RFC 4226: all ten codes, each once, in order', async () => {
    const { user } = await given({ kind: 'hotp', digits: rfc4226.digits, seed: Buffer.from(rfc4226.secretAscii) })
    for (const code of rfc4226.codes) {
      expect(await bench.use(user, code), code).toBeDefined()
      expect(await bench.use(user, code), `${code} again`).toBeUndefined()
    }
  })

  it.each(algorithms)('RFC 6238, %s: each code of 8 digits at its second', async (algorithm) => {
    at(0)
    const seed = Buffer.from(rfc6238.secretsAscii[algorithm])
    const { user } = await given({ kind: 'totp', algorithm, digits: rfc6238.digits, seed })
    for (const code of rfc6238.codes) {
      at(code.seconds)
      for (const other of algorithms)
        if (other !== algorithm) expect(await bench.use(user, code[other]), `${other} ${code.seconds}`).toBeUndefined()
      expect(await bench.use(user, code[algorithm]), `${code.seconds}`).toMatchObject({
        counter: Math.floor(code.seconds / rfc6238.period),
      })
    }
  })
})

describe('against oathtool', () => {
  const kinds = algorithms.flatMap((algorithm) => [6, 7, 8].map((digits) => [algorithm, digits] as const))

  it.each(kinds)('TOTP with %s and %i digits, every period', async (algorithm, digits) => {
    const start = 1_800_000_000
    for (const periodSeconds of [15, 45, 120]) {
      at(start)
      const { user, secret } = await given({ kind: 'totp', algorithm, digits, periodSeconds })
      expect(secret.length).toBe({ sha1: 32, sha256: 52, sha512: 103 }[algorithm])
      const args = [`--totp=${algorithm}`, `--digits=${digits}`, `--time-step-size=${periodSeconds}s`]
      const code = execFileSync('oathtool', [...args, `--now=@${start}`, '--base32', secret], { encoding: 'utf8' })
      expect(await bench.use(user, code.trim())).toBeDefined()
    }
  })

  it.each([6, 7, 8])('HOTP with %i digits, from a counter of its own', async (digits) => {
    const { user, secret } = await given({ kind: 'hotp', digits, counter: 4_000_000_000 })
    for (const code of hotpCodes(secret, 4_000_000_000, { count: 3, digits }))
      expect(await bench.use(user, code, 'hwkey_otp')).toBeDefined()
  })
})

describe('HOTP', () => {
  it('looks ten codes ahead, no further, and never back', async () => {
    const { user, secret } = await given({ kind: 'hotp' })
    const codes = hotpCodes(secret, 0, { count: 40 })
    expect(await bench.use(user, codes[11] ?? '')).toBeUndefined()
    expect(await bench.use(user, codes[10] ?? '')).toBeDefined()
    for (const code of codes.slice(0, 11)) expect(await bench.use(user, code)).toBeUndefined()
    expect(await bench.use(user, codes[22] ?? '')).toBeUndefined()
    expect(await bench.use(user, codes[21] ?? '')).toBeDefined()
  })

  it('is found beside TOTP devices, whatever the login calls it, and uses up one of them only', async () => {
    const { appliance, services, clock } = bench
    at(1_800_000_100)
    const user = await appliance.addUser()
    const { secret } = await services.enrolments.enrolCodes(user, { kind: 'hotp' }, operatorId, appliance.commit)
    const other = await services.enrolments.enrolCodes(user, { kind: 'totp', digits: 8 }, operatorId, appliance.commit)
    const [first = '', second = ''] = hotpCodes(secret, 0, { count: 2 })
    expect(await bench.use(user, first, 'totp')).toMatchObject({ counter: 1 })
    expect(await bench.use(user, second, 'hwkey_otp')).toMatchObject({ counter: 2 })
    const code = totpCode(user.totpSecret, clock.nowMs / 1000)
    expect(await bench.use(user, code, 'hwkey_otp')).toBeDefined()
    expect(await bench.use(user, code, 'totp')).toBeUndefined()
    expect(other.device.digits).toBe(8)
  })
})

describe('TOTP', () => {
  const period = 30
  const start = 1_800_000_000

  it('takes one step of drift either way, and remembers it up to its limit', async () => {
    at(start)
    const { user, secret } = await given({ kind: 'totp' })
    // A clock that loses one step at each login. A code of six steps ago is accepted, one of seven is not.
    let now = start
    for (const behind of [1, 2, 3, 4, 5, 6]) {
      now += 100 * period
      at(now)
      if (behind < 6) expect(await bench.use(user, totpCode(secret, now - (behind + 1) * period))).toBeUndefined()
      expect(await bench.use(user, totpCode(secret, now - behind * period)), `${behind} behind`).toBeDefined()
    }
    now += 100 * period
    at(now)
    expect(await bench.use(user, totpCode(secret, now - 7 * period))).toBeUndefined()
    expect(await bench.use(user, totpCode(secret, now + period))).toBeUndefined()
    expect(await bench.use(user, totpCode(secret, now - 4 * period))).toBeDefined()
  })

  it.each([-3, 3])(
    'takes the present code of a device that was %i steps off, once its clock or ours is set right',
    async (off) => {
      at(start)
      const { user, secret } = await given({ kind: 'totp' })
      let now = start
      for (const steps of [1, 2, 3]) {
        now += 100 * period
        at(now)
        expect(
          await bench.use(user, totpCode(secret, now + Math.sign(off) * steps * period)),
          `${steps} off`,
        ).toBeDefined()
      }
      now += 100 * period
      at(now)
      expect(await bench.use(user, totpCode(secret, now + period))).toBeUndefined()
      expect(await bench.use(user, totpCode(secret, now))).toMatchObject({ driftSteps: 0 })
      now += 2 * period
      at(now)
      expect(await bench.use(user, totpCode(secret, now + period))).toBeDefined()
    },
  )

  it('takes no drift from the database beyond the limit', async () => {
    at(start)
    const { user, secret, deviceId } = await given({ kind: 'totp' })
    await bench.appliance.sql(`UPDATE otp_devices SET drift_steps = -100 WHERE id = ${deviceId}`)
    expect(await bench.use(user, totpCode(secret, start - 100 * period))).toBeUndefined()
    expect(await bench.use(user, totpCode(secret, start - 6 * period))).toBeDefined()
  })

  it('takes a step once, and no earlier one after it', async () => {
    at(start)
    const { user, secret } = await given({ kind: 'totp' })
    expect(await bench.use(user, totpCode(secret, start + period))).toBeDefined()
    expect(await bench.use(user, totpCode(secret, start + period))).toBeUndefined()
    expect(await bench.use(user, totpCode(secret, start))).toBeUndefined()
  })

  it('refuses everything while the clock is set back, and says so in the audit trail', async () => {
    at(start)
    const { user, secret, deviceId } = await given({ kind: 'totp' })
    expect(await bench.use(user, totpCode(secret, start))).toBeDefined()
    const ofDevice = () => bench.records.filter(({ target }) => target === `user ${user.id}: OTP device ${deviceId}`)
    expect(ofDevice()).toEqual([])
    at(start - 3600)
    for (const seconds of [start - 3600, start, start + period])
      expect(await bench.use(user, totpCode(secret, seconds))).toBeUndefined()
    expect(ofDevice()).toMatchObject([
      { operation: 'otp.clock_back', outcome: 'noted', username: 'appliance' },
      { operation: 'otp.clock_back' },
      { operation: 'otp.clock_back' },
    ])
    at(start + period)
    expect(await bench.use(user, totpCode(secret, start + period))).toBeDefined()
  })

  it.each(['', '12345', '123456789', ' 123456', '123456 ', '12345a', '１２３４５６', '+12345', '1e5000', '123456\n'])(
    'answers %j like any wrong code',
    async (code) => {
      at(start)
      const { user } = await given({ kind: 'totp' })
      expect(await bench.use(user, code)).toBeUndefined()
      expect(await bench.use(user, code, 'hwkey_otp')).toBeUndefined()
    },
  )
})

describe('the seed', () => {
  it('goes on where it was when it comes back, for whomever, and with more digits', async () => {
    const { appliance, services } = bench
    const seed = () => Buffer.from('a seed that comes back again')
    const secret = base32nopad.encode(seed())
    const { user, deviceId } = await given({ kind: 'hotp', digits: 8, seed: seed() })
    const codes = hotpCodes(secret, 0, { count: 5, digits: 8 })
    for (const code of codes.slice(0, 3)) expect(await bench.use(user, code)).toBeDefined()
    const other = await appliance.addUser()
    await expect(
      services.enrolments.enrolCodes(other, { kind: 'hotp', seed: seed() }, operatorId, appliance.commit),
    ).rejects.toMatchObject({ code: 'otp.device_exists' })
    await appliance.commit((tx) => services.devices.release(tx, user.id, deviceId))
    await services.enrolments.enrolCodes(other, { kind: 'hotp', seed: seed() }, operatorId, appliance.commit)
    const six = codes.map((code) => code.slice(2))
    for (const code of six.slice(0, 3)) expect(await bench.use(other, code)).toBeUndefined()
    expect(await bench.use(other, six[3] ?? '')).toBeDefined()
  })

  it('is zeroed once the token has it, and kept nowhere in the clear', async () => {
    const seed = Buffer.from('zeroed after the enrolment')
    await given({ kind: 'hotp', seed })
    expect(seed).toEqual(Buffer.alloc(seed.length))
  })
})
