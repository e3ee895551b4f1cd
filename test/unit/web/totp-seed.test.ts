import { describe, expect, it } from 'vitest'
import { isForSeeds, seedIn, totpCodeAt, totpSeedOf } from '../../../src/web/objects/totp-seed.ts'

/** The keys of RFC 6238, Appendix B, as base32. */
const keys = {
  SHA1: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  SHA256: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA====',
  SHA512: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNA=',
}

describe('codes of a stored seed', () => {
  it.each([
    ['SHA1', 59, '94287082'],
    ['SHA256', 59, '46119246'],
    ['SHA512', 59, '90693936'],
    ['SHA1', 1111111109, '07081804'],
    ['SHA256', 20000000000, '77737706'],
    ['SHA512', 20000000000, '47863826'],
  ] as const)('are those of RFC 6238: %s at %i', async (algorithm, seconds, code) => {
    const seed = totpSeedOf(`otpauth://totp/Site:me?secret=${keys[algorithm]}&algorithm=${algorithm}&digits=8`)
    expect(seed && (await totpCodeAt(seed, seconds))).toBe(code)
  })

  it('have six digits and half a minute unless the seed says otherwise', async () => {
    const seed = totpSeedOf('otpauth://totp/x?secret=gezd gnbv gy3t qojq gezd gnbv gy3t qojq')
    expect(seed).toMatchObject({ digits: 6, periodSeconds: 30, hash: 'SHA-1' })
    expect(seed && (await totpCodeAt(seed, 59))).toBe('287082')
  })

  it.each([
    'a password',
    'GEZDGNBVGY3TQOJQ',
    'otpauth://hotp/x?secret=GEZDGNBVGY3TQOJQ&counter=1',
    'otpauth://totp/x',
    'otpauth://totp/x?secret=1890',
    'otpauth://totp/x?secret=GEZDGNBVGY3TQOJQ&digits=99',
    'otpauth://totp/x?secret=GEZDGNBVGY3TQOJQ&period=0',
    'otpauth://totp/x?secret=GEZDGNBVGY3TQOJQ&algorithm=MD5',
    'javascript:otpauth://totp/x?secret=GEZDGNBVGY3TQOJQ',
  ])('are not made of %s', (secret) => expect(totpSeedOf(secret)).toBeUndefined())
})

describe('a field for seeds', () => {
  it.each([
    'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
    ' gezd gnbv gy3t qojq gezd gnbv gy3t qojq ',
    'gezd-gnbv-gy3t-qojq-gezd-gnbv-gy3t-qojq====',
    ' otpauth://totp/Site:me?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ ',
  ])('takes %s', async (value) => {
    const seed = seedIn(value)
    expect(seed).toMatchObject({ digits: 6, periodSeconds: 30, hash: 'SHA-1' })
    expect(seed && (await totpCodeAt(seed, 59))).toBe('287082')
  })

  it.each(['', 'password', 'GEZDGNBVGY3TQOJ', 'GEZDGNBVGY3TQOJ1', 'otpauth://hotp/x?secret=GEZDGNBVGY3TQOJQ', 'a:b'])(
    'does not take %s',
    (value) => expect(seedIn(value)).toBeUndefined(),
  )

  // An expression that looks back at each character would take minutes.
  it('judges the longest of values as one types', () => {
    expect(seedIn(`${'='.repeat(200_000)}x`)).toBeUndefined()
    expect(seedIn(`GEZDGNBVGY3TQOJQ${'='.repeat(200_000)}`)).toMatchObject({ digits: 6 })
  })

  it('is an encrypted one called totp', () => {
    expect(isForSeeds({ fieldname: 'totp', encrypted: true })).toBe(true)
    expect(isForSeeds({ fieldname: 'totp', encrypted: false })).toBe(false)
    expect(isForSeeds({ fieldname: 'password', encrypted: true })).toBe(false)
  })
})
