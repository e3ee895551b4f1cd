import { z } from 'zod'
import type { PasskeyRules } from '../../../hsm/passkey-assertion.ts'
import { challengeTimeoutMs } from '../challenges.ts'
import { base64urlField } from '../presented-passkey.ts'

/** The options that a page passes to the browser (WebAuthn §5.4, §5.5). */
export const challengeMembers = {
  challenge: base64urlField(512, 'What the authenticator signs over.'),
  rpid: z.string().describe('Host name that the passkeys are bound to.'),
  userverification: z
    .enum(['required', 'preferred'])
    .describe('Whether the authenticator must know its user, or does so where it can.'),
  timeout: z.int().min(1).describe('Milliseconds within which the answer has to come.'),
}

export const challengeRecord = (challenge: Buffer, { rpId, userVerification }: PasskeyRules) => ({
  challenge: challenge.toString('base64url'),
  rpid: rpId,
  userverification: userVerification,
  timeout: challengeTimeoutMs,
})
