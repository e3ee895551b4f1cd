import type { MadeKey, GenerateOptions } from '../made-key.ts'
import { type RsaKind, rsaKinds } from '../key-kind.ts'
import type { Connection } from './connection.ts'
import { rowOf } from './key-kinds.ts'
import { requireSupport } from './kind-support.ts'
import { placeKey } from './outer-wrapping.ts'
import { generateSessionKey, type SessionKey, withTransient, wrapSessionKey } from './session-keys.ts'
import type { Token } from './token-link.ts'

/**
 * RSA keys that are made before they are asked for: SoftHSM2 takes about a second for one of 4096 bits. They are
 * session objects, which only this process sees, and each becomes one key or none.
 */
export interface RsaPool {
  /** A ready key, or one that is made now, wrapped as the options say and destroyed. */
  generate(kind: RsaKind, options: GenerateOptions): MadeKey
  /** Makes one key of the kind of which most are missing; false where none is. */
  refill(): boolean
}

/** `size`: how many of each kind are to be ready (`hsm.rsaKeysAhead`). */
export function createRsaPool(token: Token, size: number): RsaPool {
  // Session objects end with their connection, and so does what is known of them.
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
          placeKey(connection, options.place, wrapSessionKey(connection, kind, taken, options)),
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
