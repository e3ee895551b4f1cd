import { randomBytes } from 'node:crypto'
import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server'
import { describe, expect, it } from 'vitest'
import { presentedPasskey } from '../../../src/features/passkeys/presented-passkey.ts'
import { readRegistration } from '../../../src/features/passkeys/registration-response.ts'
import { countsOn, readPasskeyAssertion, type PasskeyRules } from '../../../src/hsm/passkey-assertion.ts'
import { writeChallenge } from '../../../src/hsm/passkey-challenge.ts'
import { SoftAuthenticator, withPasskeys, type AnswerEdits } from '../../support/soft-authenticator.ts'

/** What the keeper reads by itself, held against a library that reads it too. */
const { rpId, origins } = withPasskeys.login.webauthn
const rules: PasskeyRules = { rpId, origins, userVerification: 'required' }
const now = 1_800_000_000_000
const challengeAt = (issuedAt: number): string =>
  writeChallenge(randomBytes(16), { issuedAt, seal: randomBytes(32) }).toString('base64url')

async function registered(type?: 'P-256' | 'Ed25519' | 'RSA') {
  const authenticator = new SoftAuthenticator(type === undefined ? {} : { type })
  const made = authenticator.register(challengeAt(now))
  const read = await readRegistration({ id: made.id, ...made.response }, rules)
  return { authenticator, read, made }
}

/** Whether ours takes an answer, and whether the library does. */
async function verdictsOn({ authenticator, read, made }: Awaited<ReturnType<typeof registered>>, edits: AnswerEdits) {
  const challenge = challengeAt(now)
  const answer = authenticator.answer(challenge, edits)
  const ours = readPasskeyAssertion(presentedPasskey(answer).assertion, rules, { session: undefined, now })
  const expected = { expectedOrigin: [...origins], expectedRPID: rpId }
  const { registrationInfo } = await verifyRegistrationResponse({
    ...expected,
    response: { ...made, rawId: made.id, type: 'public-key', clientExtensionResults: {} },
    expectedChallenge: () => true,
  })
  if (registrationInfo === undefined) throw new Error('the library takes no registration')
  const theirs = await verifyAuthenticationResponse({
    ...expected,
    response: { ...answer, rawId: answer.id, type: 'public-key', clientExtensionResults: {} },
    expectedChallenge: challenge,
    credential: { ...registrationInfo.credential, counter: 0 },
  }).catch(() => ({ verified: false }))
  return { ours: ours?.isSignedBy(read.key) === true, theirs: theirs.verified }
}

describe('an assertion', () => {
  it.each(['P-256', 'Ed25519', 'RSA'] as const)('by %s is good to both', async (type) => {
    expect(await verdictsOn(await registered(type), {})).toEqual({ ours: true, theirs: true })
  })

  it.each<[string, AnswerEdits]>([
    ['of another origin', { origin: 'http://console.example' }],
    ['of a host below', { origin: 'https://a.console.example' }],
    ['for another name', { rpId: 'example' }],
    ['that is a registration', { type: 'webauthn.create' }],
    ['without a user', { flags: 0x04 }],
    ['of a user who is not verified', { flags: 0x01 }],
    ['that is backed up and cannot be', { flags: 0x15 }],
    ['with bytes behind its data', { behind: Buffer.from([0]) }],
    ['with another signature', { signature: randomBytes(70) }],
    ['without a signature', { signature: Buffer.from([0]) }],
  ])('%s is bad to both', async (_, edits) => {
    expect(await verdictsOn(await registered(), edits)).toEqual({ ours: false, theirs: false })
  })

  it.each<[string, string, number]>([
    ['that has expired', challengeAt(now), now + 300_001],
    ['of the future', challengeAt(now), now - 60_001],
    ['that is too short', 'AAAA', now],
    ['that is no base64url', 'A+/=', now],
  ])('to a challenge %s is none', async (_, challenge, at) => {
    const { assertion } = presentedPasskey(new SoftAuthenticator().answer(challenge))
    expect(readPasskeyAssertion(assertion, rules, { session: undefined, now: at })).toBeUndefined()
  })

  it.each([
    ['no JSON', Buffer.from('{')],
    ['a member twice', Buffer.from('{"type":"webauthn.get","type":"webauthn.get"}')],
    ['too much', Buffer.alloc(5_000, ' ')],
  ])('whose client data are %s is none', (_, clientData) => {
    const assertion = { clientData, authenticatorData: randomBytes(37), signature: randomBytes(70) }
    expect(readPasskeyAssertion(assertion, rules, { session: undefined, now })).toBeUndefined()
  })
})

it.each([
  [1, 0, true],
  [0, 0, true],
  [1, 1, false],
  [0, 1, false],
  [2, 1, true],
])('an authenticator at %i after %i counts on: %s', (signCount, before, is) => {
  expect(countsOn(signCount, before)).toBe(is)
})
