import type { MadeKey, GenerateOptions } from '../made-key.ts'
import { type RsaKind, rsaKinds } from '../key-kind.ts'
import type { Connection } from './connection.ts'
import { rowOf } from './key-kinds.ts'
import { requireSupport } from './kind-support.ts'
import { addOuterWrapping } from './outer-wrapping.ts'
import { generateSessionKey, type SessionKey, withTransient, wrapSessionKey } from './session-keys.ts'
import type { Token } from './token-link.ts'

/**
 * RSA keys that are generated in advance, because SoftHSM2 takes about a second for 4096 bits. They are session
 * objects, visible only to this process, and each is used for one key at most.
 */
export interface RsaPool {
  /** Takes a ready key or generates one, wraps it as the options say, and destroys the session object. */
  generate(kind: RsaKind, options: GenerateOptions): MadeKey
  /** Generates one key of the kind with the fewest ready keys. Returns false when the pool is full. */
  refill(): boolean
}

/** `size`: number of ready keys of each kind (`hsm.rsaKeysAhead`). */
export function createRsaPool(token: Token, size: number): RsaPool {
  // By connection, because session objects end with it.
  const pools = new WeakMap<Connection, Map<RsaKind, SessionKey[]>>()
  const readyOf = (connection: Connection, kind: RsaKind): SessionKey[] => {
    const pool = pools.get(connection) ?? new Map<RsaKind, SessionKey[]>()
    pools.set(connection, pool)
    const ready = pool.get(kind) ?? []
    pool.set(kind, ready)
    return ready
  }

  return {
    generate: (kind, options) =>
      token.run((connection) => {
        requireSupport(connection, kind)
        const taken = readyOf(connection, kind).shift() ?? generateSessionKey(connection.keySession, rowOf(kind))
        return withTransient(connection.keySession, [taken.key], () =>
          addOuterWrapping(connection, options.outerWrapping, wrapSessionKey(connection, kind, taken, options)),
        )
      }),
    refill: () =>
      token.run((connection) => {
        const lacking = rsaKinds
          .map((kind) => ({ kind, ready: readyOf(connection, kind) }))
          .filter(({ ready }) => ready.length < size)
          .toSorted((a, b) => a.ready.length - b.ready.length)[0]
        if (lacking === undefined) return false
        requireSupport(connection, lacking.kind)
        lacking.ready.push(generateSessionKey(connection.keySession, rowOf(lacking.kind)))
        return true
      }),
  }
}
