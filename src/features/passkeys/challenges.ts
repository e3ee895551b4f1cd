import { randomBytes } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import { isFault } from '../../fault.ts'
import type { Hsm, SealedRecord } from '../../hsm/hsm.ts'
import { challengeMs, readChallenge, writeChallenge, type IssuedChallenge } from '../../hsm/passkey-challenge.ts'
import { openRecord } from '../../hsm/record-layouts.ts'

/** Challenges for authenticators. The keeper issues them, and nothing is stored. */
export interface Challenges {
  /** A challenge for a login. The keeper is asked twice a minute, however many clients ask. */
  forLogin(): Promise<Buffer>
  /** A challenge for the session of this grant. */
  forSession(grant: SealedRecord): Promise<Buffer>
  /** Whether the keeper issued the challenge recently, to the session of this grant. */
  isOfSession(challenge: Buffer, grant: SealedRecord): Promise<boolean>
}

/** Shorter than the time that the keeper allows, because one sealed time serves several logins. */
export const challengeTimeoutMs = 240_000
/** How long one sealed time serves logins. */
const servesMs = 30_000
const nonceBytes = 16

export function createChallenges(hsm: Pick<Hsm, 'passkeyChallenge' | 'verify'>, clock: Clock): Challenges {
  let issuing: { readonly at: number; readonly issued: Promise<Issued> } | undefined

  /** Parallel calls wait for one answer. A failed request is repeated by the next call. */
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
