import { UnsecuredJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { checkClaims } from '../../../src/hsm/keeper/assertion-claims.ts'
import { ownClaims } from '../../support/assertion-kit.ts'

const now = Date.now()
const at = (ms: number): number => (now + ms) / 1_000
const expected = { issuer: 'mailer', audiences: ['strongroom', 'https://vault.example'], now, longestMs: 300_000 }
const check = (claims: Readonly<Record<string, unknown>>) =>
  checkClaims({ ...ownClaims('mailer'), ...claims }, expected)

describe('claims', () => {
  it.each([
    ['of one audience', { aud: 'https://vault.example' }],
    ['of several', { aud: ['elsewhere', 'strongroom'] }],
    ['that ended within the skew of clocks', { exp: at(-59_000) }],
    ['that end as late as may be', { exp: at(359_000) }],
    ['that begin within the skew', { nbf: at(59_000), iat: at(59_000) }],
    ['without a time of issue', { iat: undefined }],
  ])('%s are taken', (_which, claims) => {
    expect(check(claims)).toBeGreaterThan(now)
  })

  it.each([
    ['of another issuer', { iss: 'root' }, 'another issuer'],
    ['of none', { iss: undefined }, 'another issuer'],
    ['for another audience', { aud: 'elsewhere' }, 'another audience'],
    ['for a longer one', { aud: 'strongroom.example' }, 'another audience'],
    ['for none', { aud: undefined }, 'another audience'],
    ['for a list without ours', { aud: [['strongroom'], { strongroom: 1 }] }, 'another audience'],
    ['without an end', { exp: undefined }, 'has no end'],
    ['that have expired', { exp: at(-61_000) }, 'has expired'],
    ['that are good for long', { exp: at(361_500) }, 'later than 300 s'],
    ['that begin later', { nbf: at(62_000) }, 'from the future (nbf)'],
    ['that were issued later', { iat: at(62_000) }, 'from the future (iat)'],
    ['with a time in text', { exp: '9999999999' }, 'exp is not a time'],
    ['with a time before all', { iat: -1 }, 'iat is not a time'],
    ['with a time that is null', { nbf: null }, 'nbf is not a time'],
    ['with a time beyond all', { exp: 1e300 }, 'exp is not a time'],
  ])('%s are refused', (_which, claims, sentence) => {
    expect(() => check(claims)).toThrow(expect.objectContaining({ code: 'login.refused' }))
    expect(() => check(claims)).toThrow(sentence)
  })

  it('end when jose says that they have ended, with the same skew', () => {
    for (const ms of [-90_000, -61_000, -58_000, 30_000]) {
      const claims = { ...ownClaims('mailer'), exp: Math.floor(at(ms)) }
      const token = new UnsecuredJWT(claims).encode()
      const byJose = () => UnsecuredJWT.decode(token, { clockTolerance: 60, currentDate: new Date(now) })
      if (ms > -60_000) expect([byJose().payload, check(claims)]).toEqual([claims, claims.exp * 1_000 + 60_000])
      else for (const judge of [byJose, () => check(claims)]) expect(judge).toThrow()
    }
  })
})
