import { LRUCache } from 'lru-cache'

/** Uses of session tokens that this worker has seen and the database does not know of yet. */
export interface UseCounts {
  /** Counts one use of a token; how many are unknown to the database now, this one among them. */
  count(hash: string): number
  /** Whether so many should be told to the database, though nothing else has to be. */
  isDue(pending: number): boolean
  /** The database knows them now, or the token is replaced. */
  settle(hash: string): void
}

/** Tokens with uses pending; of the one used longest ago, they are forgotten. */
const maxTokens = 10_000
/** A worker tells the database after this part of the uses that a token has: its count is never further off per worker. */
const partsPerToken = 16

/** `rotateAfterUses` 0: nothing is counted. See `docs/decisions/0013-rate-limit-logins-per-network-and-account.md`. */
export function createUseCounts(rotateAfterUses: number): UseCounts {
  const pendingOf = new LRUCache<string, number>({ max: maxTokens })
  const part = Math.max(1, Math.floor(rotateAfterUses / partsPerToken))
  return {
    count(hash) {
      if (rotateAfterUses === 0) return 0
      const pending = (pendingOf.get(hash) ?? 0) + 1
      pendingOf.set(hash, pending)
      return pending
    },
    isDue: (pending) => pending >= part,
    settle: (hash) => void pendingOf.delete(hash),
  }
}
