import { LRUCache } from 'lru-cache'
import { isFault } from '../../fault.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { Store, Tx } from '../../store/store.ts'
import { touchEveryMs, type SessionLimits } from './session-liveness.ts'
import { addUses, hasToken, insertToken, supersedeToken, touchSession, type SealedToken } from './session-records.ts'
import { foundGrant } from './caller-grants.ts'
import { findSealedSession, sealNextToken } from './session-seals.ts'
import { newSessionToken, successorOf, type SessionToken } from './session-token.ts'

export interface RotationRules extends SessionLimits {
  /** `compatible`: a replaced token stays good as long as its session. `strict`: for a short overlap only. */
  readonly rotation: 'compatible' | 'strict'
  readonly rotateAfterMs: number
  /** 0: use alone never causes a rotation. */
  readonly rotateAfterUses: number
}

/** The session and the token sent, as far as the rotation depends on them. */
export type RotatedSession = {
  readonly session_id: number
  readonly last_seen_at: number
  readonly issued_at: number
  readonly superseded_at: number | null
  readonly uses: number
  /** Set for the session of a service account, whose token is never replaced. */
  readonly credential: string | null
}

/**
 * The token for the client's next call: the one it sent, or its replacement. Also notes the use of the session from
 * time to time.
 */
export type RotateToken = (session: RotatedSession, sent: SessionToken, now: number) => Promise<string>

/** A rotation that fails with one of these is retried by a later call; the present call goes on with its token. */
const passing = ['hsm.unavailable', 'hsm.sealed', 'hsm.outdated', 'session.invalid'] as const

export function createTokenRotation({
  store,
  hsm,
  rules,
}: {
  readonly store: Pick<Store, 'read' | 'transaction'>
  readonly hsm: Pick<Hsm, 'sessionTokenSuccessor' | 'seal' | 'grant'>
  readonly rules: RotationRules
}): RotateToken {
  const useCounts = createUseCounts(rules.rotateAfterUses)
  const isStrict = rules.rotation === 'strict'

  function isDue(session: RotatedSession, pending: number, now: number): boolean {
    const used = rules.rotateAfterUses > 0 && session.uses + pending >= rules.rotateAfterUses
    return used || now - session.issued_at > rules.rotateAfterMs
  }

  /** Undefined where keeper or token host do not answer, or a row has changed meanwhile: a later call rotates. */
  async function replacementOf({ token, hash }: SessionToken): Promise<(SessionToken & SealedToken) | undefined> {
    try {
      const next = isStrict ? await successorOf(hsm, token) : newSessionToken()
      const session = await findSealedSession(store.read, hash)
      if (session === undefined) return undefined
      const grant = await foundGrant(hsm, token, session, {})
      return { ...next, seal: await sealNextToken(hsm, session, next.hash, grant) }
    } catch (error) {
      if (passing.some((code) => isFault(error, code))) return undefined
      throw error
    }
  }

  return async (session, { token, hash }, now) => {
    const isReplaced = session.superseded_at !== null
    const isLasting = session.credential !== null
    const pending = isReplaced ? 0 : useCounts.count(hash)
    // A client that still sends a replaced token may have lost the answer with the new one.
    const wantsNext = !isLasting && (isReplaced ? isStrict : isDue(session, pending, now))
    const isStale = now - session.last_seen_at > touchEveryMs(rules)
    if (!wantsNext && !isStale && !useCounts.isDue(pending)) return token
    const next = wantsNext ? await replacementOf({ token, hash }) : undefined
    useCounts.settle(hash)
    const work = async (tx: Tx): Promise<string> => {
      await touchSession(tx, session.session_id, now)
      if (pending > 0) await addUses(tx, hash, pending)
      if (next === undefined) return token
      if (!isReplaced && (await supersedeToken(tx, hash, now))) {
        await insertToken(tx, { hash: next.hash, seal: next.seal }, session.session_id, now)
        return next.token
      }
      // A parallel call has replaced the token. Only a derived replacement can be given to this caller too; a random
      // one is known to the other call alone.
      return isStrict && (await hasToken(tx, session.session_id, next.hash)) ? next.token : token
    }
    try {
      // The client gets the new token only once it is on the disk.
      return await store.transaction(work, { syncAside: true })
    } catch (error) {
      useCounts.giveBack(hash, pending)
      // A database that takes no changes still answers questions.
      if (isFault(error, 'store.unavailable')) return token
      throw error
    }
  }
}

/** Number of tokens with counted uses in memory; beyond it the counts of the least recently used token are lost. */
const maxTokens = 10_000
/**
 * A worker adds its count to the database after this fraction of the uses allowed, which bounds the error per worker.
 */
const partsPerToken = 16

/**
 * Counts uses of session tokens in this worker before they are added to the database. `rotateAfterUses` 0: none is
 * counted. See `docs/decisions/0013-rate-limit-logins-per-network-and-account.md`.
 */
function createUseCounts(rotateAfterUses: number) {
  const pendingOf = new LRUCache<string, number>({ max: maxTokens })
  const part = Math.max(1, Math.floor(rotateAfterUses / partsPerToken))
  return {
    /** Counts one use of a token; returns the uses not yet added, including this one. */
    count(hash: string): number {
      if (rotateAfterUses === 0) return 0
      const pending = (pendingOf.get(hash) ?? 0) + 1
      pendingOf.set(hash, pending)
      return pending
    },
    /** Whether the pending uses are to be added even when nothing else is written. */
    isDue: (pending: number): boolean => pending >= part,
    /** Forgets the pending uses: they were added, or the token was replaced. */
    settle: (hash: string): void => void pendingOf.delete(hash),
    /** Counts uses again that could not be added. */
    giveBack(hash: string, pending: number): void {
      if (pending > 0) pendingOf.set(hash, pending + (pendingOf.get(hash) ?? 0))
    },
  }
}
