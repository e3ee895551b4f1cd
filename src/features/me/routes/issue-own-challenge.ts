import { createHash } from 'node:crypto'
import { z } from 'zod'
import { transactionGrant } from '../../../access/transaction-grant.ts'
import { Fault } from '../../../fault.ts'
import type { PasskeyRules } from '../../../hsm/passkey-assertion.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { Attestation } from '../../passkeys/attestation.ts'
import type { Challenges } from '../../passkeys/challenges.ts'
import type { Passkeys } from '../../passkeys/passkeys.ts'
import { base64urlField, credentialIdField } from '../../passkeys/presented-passkey.ts'
import { passkeyAlgorithms } from '../../passkeys/registration-response.ts'
import { challengeMembers, challengeRecord } from '../../passkeys/routes/challenge-record.ts'
import type { Users } from '../../users/user.ts'

const callinfo = z.object({
  ...challengeMembers,
  passkeys: z.array(credentialIdField).describe('Credentials of the caller: to answer with, and not to make again.'),
  userhandle: base64urlField(64, 'What authenticators know the caller by; it tells nothing of whom.'),
  algorithms: z.array(z.int()).describe('COSE algorithms of new passkeys, the preferred one first.'),
  attestation: z
    .enum(['none', 'direct'])
    .describe(
      '`direct` where only passkeys of certain makes may be registered: the authenticator has to say its make.',
    ),
})

/** `POST /me/challenge`: for a registration, and for a passkey as a fresh second factor. */
export const issueOwnChallenge = (
  {
    challenges,
    passkeys,
    users,
  }: { readonly challenges: Challenges; readonly passkeys: Passkeys; readonly users: Pick<Users, 'find'> },
  rules: PasskeyRules | undefined,
  attestation: Attestation | undefined,
) =>
  endpoint({
    operation: 'me.challenge',
    handler: 'UserHandler',
    method: 'POST',
    path: '/me/challenge',
    summary: 'Get a challenge for an authenticator, within your session',
    details:
      'For `navigator.credentials.create`, whose answer goes to `POST /me/passkeys`, and for `navigator.credentials.get`, whose answer is the `passkey` of calls that take a fresh second factor. It is good only for this session.',
    access: { kind: 'session' },
    faults: ['login.type_disabled'],
    reply: { callinfo },
    async run({ caller, commit }) {
      if (rules === undefined) throw new Fault('login.type_disabled')
      const own = await passkeys.list(caller.userId)
      const { identity } = await users.find(caller.username)
      const challenge = await commit(async (tx) => {
        const grant = await transactionGrant(tx)
        if (grant === undefined) throw new Fault('session.invalid')
        return challenges.forSession(grant)
      })
      return {
        callinfo: {
          ...challengeRecord(challenge, rules),
          passkeys: own.map(({ credentialId }) => credentialId.toString('base64url')),
          userhandle: handleOf(identity),
          algorithms: passkeyAlgorithms,
          attestation: attestation === undefined ? ('none' as const) : ('direct' as const),
        },
      }
    },
  })

/** The user handle, the same for all authenticators of a user (WebAuthn §14.6.1). */
const handleOf = (identity: Buffer): string =>
  createHash('sha256').update('user handle\0').update(identity).digest('base64url')
