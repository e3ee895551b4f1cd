import { z } from 'zod'
import { webauthn } from './passkey-section.ts'
import { milliseconds, whole } from './value-shapes.ts'

export const session = z.strictObject({
  idleTimeoutMs: milliseconds
    .default(3_600_000)
    .describe('How long a session lives after its last call; told to clients as `timeout`.'),
  absoluteTimeoutMs: milliseconds.default(86_400_000).describe('How long a session lives at most.'),
  rotation: z
    .enum(['compatible', 'strict'])
    .default('compatible')
    .describe(
      'compatible: a replaced token stays good until the session ends; strict: for 30 seconds, and its use after that ends the session.',
    ),
  rotateAfterMs: milliseconds.default(900_000).describe('Age at which a session token is replaced.'),
  rotateAfterUses: whole(0, 1_000_000_000)
    .default(0)
    .describe('Calls after which a session token is replaced, give or take a sixteenth per worker; 0 means never.'),
  perUser: whole(1, 10_000)
    .default(20)
    .describe('Most sessions a user may have open; a further login ends the oldest.'),
})

const loginSection = z.strictObject({
  types: z
    .array(z.enum(['totp', 'hwkey_otp', 'webauthn']))
    .min(1)
    .default(['totp', 'hwkey_otp'])
    .describe('Second factors that are enabled; webauthn, which is passkeys, needs login.webauthn.'),
  webauthn: webauthn.optional().describe('Passkeys (WebAuthn) as second factors.'),
  freeAttempts: whole(1, 100).default(10).describe('Failed logins before delays begin.'),
  firstDelayMs: milliseconds.default(1_000).describe('The first delay; each further failure doubles it.'),
  longestDelayMs: milliseconds.default(900_000).describe('Where the doubling ends.'),
  passphrasePolicy: z
    .literal([2, 5, 7, 8, 13, 16, 17])
    .default(17)
    .describe('Password policy that new pass phrases of users must conform to, by its id in /utils/policies.'),
  passphraseMaxAgeMs: z
    .number()
    .int()
    .min(0)
    .default(0)
    .describe('Age from which a login tells its user to change the pass phrase; 0 means never.'),
  argon2: z
    .strictObject({
      memoryKiB: whole(8_192, 4_194_304).default(19_456).describe('Memory of one pass-phrase hash, in KiB.'),
      passes: whole(1, 100).default(2).describe('Passes over that memory.'),
      concurrency: whole(1, 3).default(1).describe('Logins at once per worker; further ones wait.'),
      queue: whole(1, 10_000)
        .default(200)
        .describe('Logins that may wait per worker, networks and accounts in turn; more are refused with 429.'),
    })
    .prefault({})
    .describe('Cost of checking a pass phrase (argon2id, RFC 9106).'),
})

export const login = loginSection.refine(
  ({ types, webauthn: section }) => !types.includes('webauthn') || section !== undefined,
  { path: ['webauthn', 'rpId'], error: 'missing: webauthn in login.types needs the host name of the web console' },
)

export const users = z.strictObject({
  recovery: z
    .enum(['approved', 'open'])
    .default('approved')
    .describe(
      'What happens to the memberships of a user whose pass phrase another person set, or whose second factor another person enrolled. approved: they are on hold until another Admin of each vault confirms the user, or the operator if there is none; open: they stay in force, so that every administrator can read every vault.',
    ),
})

export const otp = z.strictObject({
  hotpLookAhead: whole(0, 10)
    .default(10)
    .describe('How many codes of a HOTP token may have been made without being used.'),
  hotpResyncWindow: whole(10, 1_000)
    .default(100)
    .describe('How far ahead two consecutive codes are looked for when a HOTP token is resynchronised.'),
  totpDriftSteps: whole(0, 3)
    .default(1)
    .describe('How many time steps the clock of a TOTP device may differ, either way, from where it was last seen.'),
  totpLargestDriftSteps: whole(0, 20)
    .default(5)
    .describe('How many time steps it may differ from the clock of the appliance in total.'),
})
