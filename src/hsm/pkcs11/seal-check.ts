import { timingSafeEqual } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { Fault } from '../../fault.ts'
import type { SealedRecord } from '../hsm.ts'
import { openKeyRecord } from '../key-record.ts'
import { type KeyRow, rowOf } from './key-kinds.ts'
import { hmacSha256 } from './mechanisms.ts'
import type { Pkcs11Session } from './pkcs11-session.ts'
import type { RootKeys } from './root-objects.ts'

export const sealBytes = 32

export interface OpenRecord extends ReturnType<typeof openKeyRecord> {
  readonly row: KeyRow
}

/** What stands between a row of the database and a key in the token. */
export interface SealCheck {
  /** Throws `hsm.seal_broken` unless the seal is the record's. */
  readonly verify: (sealed: SealedRecord) => void
  /** The same, with a memory of what was good. */
  readonly verifyPolicy: (policy: SealedRecord) => void
  /** Verifies and reads. Throws `hsm.rejected` for what holds no key, or a backup. */
  readonly openKey: (sealed: SealedRecord) => OpenRecord
}

export interface SealCheckOptions {
  /** Policies to remember. */
  readonly limit: number
  readonly operation: () => Pkcs11Session
  readonly roots: RootKeys
}

export function createSealCheck({ limit, operation, roots }: SealCheckOptions): SealCheck {
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

  return {
    verify,
    verifyPolicy(policy) {
      const name = policy.seal.toString('latin1')
      if (policies.get(name)?.equals(policy.record) === true) return
      verify(policy)
      policies.set(name, Buffer.from(policy.record))
    },
    openKey(sealed) {
      verify(sealed)
      const opened = openSealed(sealed.record)
      if (opened.kek.startsWith('backup.')) throw new Fault('hsm.rejected', 'A backup is restored before it is used.')
      return { ...opened, row: rowOf(opened.kind) }
    },
  }
}

function openSealed(record: Buffer): ReturnType<typeof openKeyRecord> {
  try {
    return openKeyRecord(record)
  } catch (error) {
    throw new Fault('hsm.rejected', 'A sealed record that holds no key cannot be used as one.', { cause: error })
  }
}
