import { Fault } from '../../fault.ts'
import type { SealedRecord } from '../hsm.ts'
import { type FieldsOf, type OpenedRecord, openRecord, type RecordKey } from '../record-layouts.ts'
import { type KeyRow, rowOf } from './key-kinds.ts'
import type { Pkcs11Session } from './pkcs11-session.ts'
import { createRecentMap } from '../../recent-map.ts'
import type { RootKeys } from './root-objects.ts'
import { versionOfSeal } from './seal-versions.ts'

export interface OpenRecord extends RecordKey {
  readonly row: KeyRow
  /** All of the record. */
  readonly whole: OpenedRecord
}

/** What stands between a row of the database and a key in the token. */
export interface SealCheck {
  /** Throws `hsm.seal_broken` unless the seal is the record's; with a memory of what was good. */
  readonly verify: (sealed: SealedRecord) => void
  /** Remembers a seal that was made here as one that is good. */
  readonly noteMade: (sealed: SealedRecord) => void
  /** Verifies and reads a policy, with a memory as well. */
  readonly openPolicy: (policy: SealedRecord) => OpenedRecord
  /** The same for a grant. */
  readonly openGrant: (grant: SealedRecord) => FieldsOf<'grant'>
  /** Verifies and reads. Throws `hsm.rejected` for what holds no key, or a backup under a KEK of release 0.2.0. */
  readonly openKey: (sealed: SealedRecord) => OpenRecord
}

export interface SealCheckOptions {
  /** Seals to remember, policies, and grants. */
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
      check(sealed)
      const whole = openSealed(Buffer.from(sealed.record))
      if (whole.key === undefined)
        throw new Fault('hsm.rejected', 'A sealed record that holds no key cannot be used as one.')
      // From under a KEK without an unwrap template it would come readable for the PIN.
      if (whole.key.kek.startsWith('backup.') && !roots.hides(whole.key.kek))
        throw new Fault('hsm.rejected', 'A backup is restored before it is used.')
      return { ...whole.key, row: rowOf(whole.key.kind), whole }
    },
  }
}

/** What was read of records with a good seal; forgotten with each version of the seal that goes. */
interface SealMemory<T> {
  get(sealed: SealedRecord): T | undefined
  add(sealed: SealedRecord): T
}

/** Longer records are not remembered, so that no caller decides how much memory the limit stands for. */
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
      // The frame that brought the record is zeroed after the reply.
      const copy = Buffer.from(record)
      const value = read(copy)
      if (copy.length <= maxRememberedBytes)
        known.set(seal.toString('latin1'), { record: copy, sealsGone: roots.sealsGone, value })
      return value
    },
  }
}

/** Reads a record whose seal was checked. @throws Fault `hsm.rejected` for one that serves hosts in nothing */
export function openSealed(record: Buffer): OpenedRecord {
  try {
    return openRecord(record)
  } catch (error) {
    throw new Fault('hsm.rejected', 'The host knows no such record.', { cause: error })
  }
}
