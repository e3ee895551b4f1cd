import { randomBytes } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import { isFault } from '../../fault.ts'
import type { Hsm, SealedRecord } from '../../hsm/hsm.ts'
import { challengeMs, readChallenge, writeChallenge, type IssuedChallenge } from '../../hsm/passkey-challenge.ts'
import { openRecord } from '../../hsm/record-layouts.ts'

/** Challenges for authenticators, which the keeper issues; nothing of them is stored. */
export interface Challenges {
  /** For a login: the keeper is asked twice a minute, however many strangers ask. */
  forLogin(): Promise<Buffer>
  /** For the session of this grant. */
  forSession(grant: SealedRecord): Promise<Buffer>
  /** Whether the keeper issued it, not long ago, to the session of this grant. */
  isOfSession(challenge: Buffer, grant: SealedRecord): Promise<boolean>
}

/** A page has less time than the keeper gives: the same sealed time serves several logins. */
export const challengeTimeoutMs = 240_000
/** How long one sealed time serves logins. */
const servesMs = 30_000
const nonceBytes = 16

export function createChallenges(hsm: Pick<Hsm, 'passkeyChallenge' | 'verify'>, clock: Clock): Challenges {
  let issuing: { readonly at: number; readonly issued: Promise<Issued> } | undefined

  /** Those who ask at once wait for the same answer; one that failed is asked for again. */
  function issuedForLogins(): Promise<Issued> {
    const now = clock.now()
    if (issuing !== undefined && Math.abs(now - issuing.at) < servesMs) return issuing.issued
    const asked = { at: now, issued: hsm.passkeyChallenge() }
    issuing = asked
    asked.issued.catch(() => {
      if (issuing === asked) issuing = undefined
    })
    return asked.issued
  }

  return {
    forLogin: async () => writeChallenge(randomBytes(nonceBytes), await issuedForLogins()),
    forSession: async (grant) => writeChallenge(randomBytes(nonceBytes), await hsm.passkeyChallenge(grant)),

    async isOfSession(challenge, grant) {
      const read = readChallenge(challenge, sessionOf(grant))
      if (read === undefined || Math.abs(clock.now() - read.issuedAt) > challengeMs) return false
      try {
        await hsm.verify(read.sealed)
        return true
      } catch (error) {
        if (isFault(error, 'hsm.seal_broken')) return false
        throw error
      }
    },
  }
}

type Issued = Pick<IssuedChallenge, 'issuedAt' | 'seal'>

function sessionOf({ record }: SealedRecord): Buffer {
  const { fields } = openRecord(record)
  if (!('session' in fields) || fields.session === null) throw new TypeError('this is not a grant of a session')
  return fields.session
}
