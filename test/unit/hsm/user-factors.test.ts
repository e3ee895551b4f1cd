import { describe, expect, it } from 'vitest'
import { areFactors, gainsFactor, hasFactor, withFactor, withoutFactor } from '../../../src/hsm/user-factors.ts'

const none = Buffer.alloc(0)
const [phone, token, card] = ['phone', 'token', 'card'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer]
const both = withFactor(withFactor(none, phone), token)

describe('the factors of a user', () => {
  it('come and go one by one', () => {
    expect([phone, token, card].map((one) => hasFactor(both, one))).toEqual([true, true, false])
    expect(withFactor(both, phone)).toEqual(both)
    expect(withoutFactor(both, phone)).toEqual(withFactor(none, token))
    expect(withoutFactor(both, card)).toEqual(both)
    expect(hasFactor(none, none)).toBe(false)
  })

  it('are gained where one is there that was not, in whatever order', () => {
    const turned = withFactor(withFactor(none, token), phone)
    expect([gainsFactor(turned, both), gainsFactor(none, both), gainsFactor(both, both)]).toEqual([false, false, false])
    expect(gainsFactor(withFactor(withoutFactor(both, phone), card), both)).toBe(true)
    expect(gainsFactor(both, none)).toBe(true)
  })

  it('are whole names, not more than a user can have', () => {
    expect([none, both, Buffer.alloc(16 * 32)].map(areFactors)).toEqual([true, true, true])
    expect([both.subarray(1), Buffer.alloc(17 * 32)].map(areFactors)).toEqual([false, false])
  })
})
