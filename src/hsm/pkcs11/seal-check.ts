import { Fault } from '../../fault.ts'
import type { SealedRecord } from '../hsm.ts'
import { type FieldsOf, type OpenedRecord, openRecord, type RecordKey } from '../record-layouts.ts'
import { type KeyRow, rowOf } from './key-kinds.ts'
import type { Pkcs11Session } from './pkcs11-session.ts'
import { createRecentMap } from '../../recent-map.ts'
import type { RootKeys } from './root-keys.ts'
import { versionOfSeal } from './seal-versions.ts'

export interface OpenRecord extends RecordKey {
  readonly row: KeyRow
  /** The whole record. */
  readonly whole: OpenedRecord
}

/** Verifies the seals of records before their keys are used in the token. */
export interface SealCheck {
  /** Throws `hsm.seal_broken` unless the seal is that of the record. Remembers valid seals. */
  readonly verify: (sealed: SealedRecord) => void
  /** Remembers a seal that was made here as valid. */
  readonly noteMade: (sealed: SealedRecord) => void
  /** Verifies and reads a policy, and remembers it. */
  readonly openPolicy: (policy: SealedRecord) => OpenedRecord
  /** Verifies and reads a grant, and remembers it. */
  readonly openGrant: (grant: SealedRecord) => FieldsOf<'grant'>
  /**
   * Verifies and reads the record of a key. Throws `hsm.seal_broken`, and `hsm.rejected` for a record without a key, for
   * one that is too long, and for a backup under a KEK of release 0.2.0.
   */
  readonly openKey: (sealed: SealedRecord) => OpenRecord
}

export interface SealCheckOptions {
  /** Number of seals, of policies and of grants to remember. */
  readonly limit: number
  readonly operation: () => Pkcs11Session
  readonly roots: RootKeys
}

export function createSealCheck({ limit, operation, roots }: SealCheckOptions): SealCheck {
  const good = createSealMemory(limit, roots, () => true)
  const policies = createSealMemory(limit, roots, openSealed)
  const grants = createSealMemory(limit, roots, openSealed)

  const check = (sealed: SealedRecord) => {
    if (versionOfSeal({ session: operation(), roots }, sealed) !== undefined) return
    throw new Fault(
      'hsm.seal_broken',
      'A record in the database does not carry the seal of this token: it was altered outside Strongroom.',
    )
  }

  function remembered<T>(memory: SealMemory<T>, sealed: SealedRecord): T {
    const known = memory.get(sealed)
    if (known !== undefined) return known
    check(sealed)
    return memory.add(sealed)
  }

  return {
    verify: (sealed) => void remembered(good, sealed),
    noteMade: (sealed) => void good.add(sealed),
    openPolicy: (policy) => remembered(policies, policy),
    openGrant(sealed) {
      const grant = remembered(grants, sealed)
      if (grant.type !== 'grant') throw new Fault('hsm.rejected', 'A record of another kind grants nothing.')
      return grant.fields
    },
    openKey(sealed) {
      if (sealed.record.length > longestKeyRecord)
        throw new Fault('hsm.rejected', 'This record is longer than that of any key.')
      check(sealed)
      const whole = openSealed(Buffer.from(sealed.record))
      if (whole.key === undefined)
        throw new Fault('hsm.rejected', 'A sealed record that holds no key cannot be used as one.')
      // A KEK without an unwrap template would let a holder of the PIN read the key.
      if (whole.key.kek.startsWith('backup.') && !roots.hides(whole.key.kek))
        throw new Fault('hsm.rejected', 'A backup is restored before it is used.')
      return { ...whole.key, row: rowOf(whole.key.kind), whole }
    },
  }
}

/** Content of records with a verified seal. An entry is void once a version of the seal is gone. */
interface SealMemory<T> {
  get(sealed: SealedRecord): T | undefined
  add(sealed: SealedRecord): T
}

/**
 * In bytes: more than that of an RSA key with its backup has. The records of used keys stay in memory, and a worker can
 * have a device sealed whose name is as long as a frame.
 */
const longestKeyRecord = 16 * 1024

/** Longer records are not remembered, so that callers cannot fill the memory. */
const maxRememberedBytes = 2 * 1024

function createSealMemory<T>(
  limit: number,
  roots: SealCheckOptions['roots'],
  read: (record: Buffer) => T,
): SealMemory<T> {
  const known = createRecentMap<{ readonly record: Buffer; readonly sealsGone: number; readonly value: T }>({ limit })
  return {
    get({ record, seal }) {
      const found = known.get(seal.toString('latin1'))
      return found?.sealsGone === roots.sealsGone && found.record.equals(record) ? found.value : undefined
    },
    add({ record, seal }) {
      // A copy, because the frame with the record is zeroed after the reply.
      const copy = Buffer.from(record)
      const value = read(copy)
      if (copy.length <= maxRememberedBytes)
        known.set(seal.toString('latin1'), { record: copy, sealsGone: roots.sealsGone, value })
      return value
    },
  }
}

/**
 * Reads a record whose seal was verified.
 * @throws Fault `hsm.rejected` for a record of an unknown type
 */
export function openSealed(record: Buffer): OpenedRecord {
  try {
    return openRecord(record)
  } catch (error) {
    throw new Fault('hsm.rejected', 'The host knows no such record.', { cause: error })
  }
}
