import { describe, expect, it } from 'vitest'
import { isFault } from '../../../src/fault.ts'
import { createQuotas, type QuotaRates } from '../../../src/http/pipeline/quotas.ts'

const rates: QuotaRates = {
  keys: 60,
  rsaKeys: 60,
  passphrases: 60,
  files: 60,
  links: 60,
  longLists: 60,
  relocations: 60,
}

function given(over: Partial<QuotaRates> = {}) {
  const clock = { ms: 0 }
  const quotas = createQuotas({ ...rates, ...over }, () => clock.ms)
  /** The user's call, which ends at once: 0, or after how many milliseconds to try again. */
  const call = (user = 1, kind: keyof QuotaRates = 'keys'): number => {
    try {
      quotas.admit(kind, user)()
      return 0
    } catch (error) {
      if (!isFault(error, 'request.quota')) throw error
      return error.retryAfterMs ?? Number.NaN
    }
  }
  const calls = (count: number, user = 1) =>
    Array.from({ length: count }, () => call(user)).filter((ms) => ms === 0).length
  return { clock, quotas, call, calls }
}

describe('the quota of a user', () => {
  it('is what a minute grants, and comes back with time', () => {
    const { clock, calls, call } = given()
    expect(calls(100)).toBe(60)
    expect(call()).toBeGreaterThan(0)
    clock.ms += 10_000
    expect(calls(100)).toBe(10)
    clock.ms += 600_000
    expect(calls(100)).toBe(60)
  })

  it('says truly when to try again', () => {
    const { clock, calls, call } = given({ keys: 7 })
    calls(7)
    const waitMs = call()
    clock.ms += waitMs - 1
    expect(call()).toBeGreaterThan(0)
    clock.ms += 1
    expect(call()).toBe(0)
  })

  it('is not spent by others, nor by calls of another kind, until all of them together have spent ten', () => {
    const { calls, call } = given()
    calls(60)
    expect(call(2)).toBe(0)
    expect(call(1, 'files')).toBe(0)
    for (let user = 3; user < 12; user++) calls(60, user)
    expect(call(20)).toBeGreaterThan(0)
  })

  it('bounds what is under way at once, of one user and of all', () => {
    const { quotas } = given({ rsaKeys: 1_000 })
    const ends = [1, 2, 3, 4].map(() => quotas.admit('rsaKeys', 1))
    expect(() => quotas.admit('rsaKeys', 1)).toThrow('request.quota')
    ends.pop()?.()
    quotas.admit('rsaKeys', 1)
    for (let user = 2; user <= 10; user++) for (let at = 0; at < 4; at++) quotas.admit('rsaKeys', user)
    expect(() => quotas.admit('rsaKeys', 11)).toThrow('request.quota')
  })

  it('allows one relocation per user at a time, and does not refuse those of a few other users', () => {
    const { quotas } = given()
    const end = quotas.admit('relocations', 1)
    expect(() => quotas.admit('relocations', 1)).toThrow('request.quota')
    for (let user = 2; user <= 10; user++) quotas.admit('relocations', user)
    expect(() => quotas.admit('relocations', 11)).toThrow('request.quota')
    end()
    quotas.admit('relocations', 11)
  })

  it('is not spent by what is refused', () => {
    const { clock, calls, call } = given({ keys: 1 })
    expect(calls(50)).toBe(1)
    clock.ms += 60_000
    expect(call()).toBe(0)
  })
})
