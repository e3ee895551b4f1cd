import { timingSafeEqual } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { Fault } from '../../fault.ts'
import { type KeyReference, type SealedRecord, openKeyRecord } from '../hsm.ts'
import { TokenFailure } from './failure.ts'
import { type KeyKindRow, rowFor, unwrappedTemplate } from './key-kinds.ts'
import { hmacSha256, keyWrap } from './mechanisms.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'
import type { RootKeys } from './root-objects.ts'

/** The unwrapped keys of one epoch. It lives and dies with its connection, and so no handle outlives its epoch. */
export interface KeyHandles {
  /**
   * Calls `work` with the unwrapped key. A record that is new here has its seal checked and its blob unwrapped first; one that
   * is known, byte for byte, has been through both. Throws `hsm.seal_broken`, and `hsm.rejected` for a key of the wrong kind.
   */
  use<T>(reference: KeyReference, serves: KeyKindRow['serves'], work: (key: KeyHandle, row: KeyKindRow) => T): T
  /** Throws `hsm.seal_broken` unless the seal is the record's. */
  verify(sealed: SealedRecord): void
  /** Lets the older half go, for a token that is full. */
  shrink(): void
  held(): number
  /** The most that are held. */
  readonly limit: number
}

export interface KeyHandlesOptions {
  readonly limit: number
  /** The session that owns the unwrapped keys: they die with it. */
  readonly keeper: Pkcs11Session
  /** The session for operations; another one after every failure. */
  readonly operation: () => Pkcs11Session
  readonly roots: RootKeys
}

interface HeldKey {
  readonly record: Buffer
  readonly handle: KeyHandle
  readonly row: KeyKindRow
}

export const sealBytes = 32

export function createKeyHandles({ limit, keeper, operation, roots }: KeyHandlesOptions): KeyHandles {
  const keys = new LRUCache<string, HeldKey>({ max: limit, dispose: ({ handle }) => destroyQuietly(keeper, handle) })
  const policies = new LRUCache<string, Buffer>({ max: limit })

  const verify = ({ record, seal }: SealedRecord) => {
    const expected = operation().sign(hmacSha256, roots.seal, record, Buffer.alloc(sealBytes))
    if (seal.length !== sealBytes || expected.length !== sealBytes || !timingSafeEqual(seal, expected)) {
      throw new Fault(
        'hsm.seal_broken',
        'A record in the database does not carry the seal of this token: it was altered outside Strongroom.',
      )
    }
  }

  const verifyPolicy = (policy: SealedRecord) => {
    const name = policy.seal.toString('latin1')
    if (policies.get(name)?.equals(policy.record) === true) return
    verify(policy)
    policies.set(name, Buffer.from(policy.record))
  }

  // The frame that brought the record is zeroed and given up after the reply: what stays is a copy.
  const unwrap = (name: string, sealed: SealedRecord, serves: KeyKindRow['serves']): HeldKey => {
    verify(sealed)
    const { kind, kek, blob } = openSealed(sealed.record)
    const row = rowFor(kind, serves)
    if (kek.startsWith('backup.')) throw new Fault('hsm.rejected', 'A backup is restored before it is used.')
    const handle = keeper.unwrap(keyWrap, roots.kek(kek), blob, unwrappedTemplate(row))
    const held = { record: Buffer.from(sealed.record), handle, row }
    keys.set(name, held)
    return held
  }

  return {
    limit,
    verify,
    use(reference, serves, work) {
      if (reference.policy !== undefined) verifyPolicy(reference.policy)
      const name = reference.key.seal.toString('latin1')
      const known = keys.get(name)
      const held = known?.record.equals(reference.key.record) === true ? known : unwrap(name, reference.key, serves)
      if (held.row.serves !== serves) throw new Fault('hsm.rejected', 'A key of another kind does not serve here.')
      try {
        return work(held.handle, held.row)
      } catch (error) {
        if (error instanceof TokenFailure && error.remedy === 'handle') keys.delete(name)
        throw error
      }
    },
    shrink() {
      for (let surplus = Math.ceil(keys.size / 2); surplus > 0; surplus--) keys.pop()
    },
    held: () => keys.size,
  }
}

function openSealed(record: Buffer): ReturnType<typeof openKeyRecord> {
  try {
    return openKeyRecord(record)
  } catch (error) {
    throw new Fault('hsm.rejected', 'A sealed record that holds no key cannot be used as one.', { cause: error })
  }
}

// A handle that is void already is what was wanted; a token that is gone shows at the next operation.
function destroyQuietly(keeper: Pkcs11Session, handle: KeyHandle): void {
  try {
    keeper.destroy(handle)
  } catch (error) {
    if (!(error instanceof TokenFailure)) throw error
  }
}
