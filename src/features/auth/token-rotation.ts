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
  /** 0: never by use. */
  readonly rotateAfterUses: number
}

/** What rotation reads of a session and the token that a client sent. */
export type RotatedSession = {
  readonly session_id: number
  readonly last_seen_at: number
  readonly issued_at: number
  readonly superseded_at: number | null
  readonly uses: number
  /** Set for a session of a service account: it has one token. */
  readonly credential: string | null
}

/**
 * The token for the client's next call: the one it sent, or the one that replaces it. Also notes, now and then, that
 * the session was used.
 */
export type RotateToken = (session: RotatedSession, sent: SessionToken, now: number) => Promise<string>

/** A rotation that fails so is tried again by a later call: of the call it decides nothing. */
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

  /** Undefined while keeper or token host do not answer, or a row changes meanwhile: the rotation waits for a later call. */
  async function replacementOf({ token, hash }: SessionToken): Promise<(SessionToken & SealedToken) | undefined> {
    try {
      const next = isStrict ? await successorOf(hsm, token) : newSessionToken()
      const session = await findSealedSession(store.read, hash)
      if (session === undefined) return undefined
      const grant = await foundGrant(hsm, token, session, undefined)
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
    // A client that still sends a replaced token may have lost the answer that named the next one.
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
      // Another call has replaced the token. A random replacement is known to that call alone.
      return isStrict && (await hasToken(tx, session.session_id, next.hash)) ? next.token : token
    }
    // No client has the next token before it is on the disk.
    return store.transaction(work, { syncAside: true })
  }
}

/** Tokens with uses pending; beyond that, those of the token used longest ago are forgotten. */
const maxTokens = 10_000
/**
 * A worker adds its count to the database after this part of the uses that a token has: it is never further off per
 * worker.
 */
const partsPerToken = 16

/**
 * Uses of session tokens that this worker has counted and not yet added to the database; `rotateAfterUses` 0: none is
 * counted. See `docs/decisions/0013-rate-limit-logins-per-network-and-account.md`.
 */
function createUseCounts(rotateAfterUses: number) {
  const pendingOf = new LRUCache<string, number>({ max: maxTokens })
  const part = Math.max(1, Math.floor(rotateAfterUses / partsPerToken))
  return {
    /** Counts one use of a token; resolves to the pending ones, this one among them. */
    count(hash: string): number {
      if (rotateAfterUses === 0) return 0
      const pending = (pendingOf.get(hash) ?? 0) + 1
      pendingOf.set(hash, pending)
      return pending
    },
    /** Whether so many should be added to the database, though nothing else has to be written. */
    isDue: (pending: number): boolean => pending >= part,
    /** They were added, or the token is replaced. */
    settle: (hash: string): void => void pendingOf.delete(hash),
  }
}
