import { z } from 'zod'
import { Fault } from '../../../fault.ts'
import type { PasskeyRules } from '../../../hsm/passkey-assertion.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { Challenges } from '../../passkeys/challenges.ts'
import { challengeMembers, challengeRecord } from '../../passkeys/routes/challenge-record.ts'

/** `POST /auth/challenge`: the answer is the same for all users, so that it reveals none. */
export const issueChallenge = (challenges: Challenges, rules: PasskeyRules | undefined) =>
  endpoint({
    operation: 'auth.challenge',
    handler: 'AuthHandler',
    method: 'POST',
    path: '/auth/challenge',
    summary: 'Get a challenge for a login with a passkey',
    details:
      'For `navigator.credentials.get`, without a list of credentials: the browser offers the passkeys that it has for `rpid`. What it gives goes to `POST /auth` with `logintype` `webauthn`, within `timeout`, once.',
    access: { kind: 'public' },
    faults: ['login.type_disabled'],
    reply: { callinfo: z.object(challengeMembers) },
    async run() {
      if (rules === undefined) throw new Fault('login.type_disabled')
      return { callinfo: challengeRecord(await challenges.forLogin(), rules) }
    },
  })
