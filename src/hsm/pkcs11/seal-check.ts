import { Fault } from '../../fault.ts'
import type { SealedRecord } from '../hsm.ts'
import { type FieldsOf, type OpenedRecord, openRecord, type RecordKey } from '../record-layouts.ts'
import { type KeyRow, rowOf } from './key-kinds.ts'
import type { Pkcs11Session } from './pkcs11-session.ts'
import { createRecentMap, type RecentMap } from './recent-map.ts'
import type { RootKeys } from './root-objects.ts'
import { versionOfSeal } from './seal-versions.ts'

export interface OpenRecord extends RecordKey {
  readonly row: KeyRow
  /** All of the record. */
  readonly whole: OpenedRecord
}

/** What stands between a row of the database and a key in the token. */
export interface SealCheck {
  /** Throws `hsm.seal_broken` unless the seal is the record's. */
  readonly verify: (sealed: SealedRecord) => void
  /** Verifies and reads a policy, with a memory of what was good. */
  readonly openPolicy: (policy: SealedRecord) => OpenedRecord
  /** The same for a grant. */
  readonly openGrant: (grant: SealedRecord) => FieldsOf<'grant'>
  /** Verifies and reads. Throws `hsm.rejected` for what holds no key, or a backup under a KEK of release 0.2.0. */
  readonly openKey: (sealed: SealedRecord) => OpenRecord
}

export interface SealCheckOptions {
  /** Policies to remember, and grants. */
  readonly limit: number
  readonly operation: () => Pkcs11Session
  readonly roots: RootKeys
}

/** What was good, by the seal, and how many versions of the seal had gone by then. */
type SealMemory = RecentMap<{ readonly record: Buffer; readonly opened: OpenedRecord; readonly sealsGone: number }>

export function createSealCheck({ limit, operation, roots }: SealCheckOptions): SealCheck {
  const policies: SealMemory = createRecentMap({ limit })
  const grants: SealMemory = createRecentMap({ limit })

  const verify = (sealed: SealedRecord) => {
    if (versionOfSeal({ session: operation(), roots }, sealed) !== undefined) return
    throw new Fault(
      'hsm.seal_broken',
      'A record in the database does not carry the seal of this token: it was altered outside Strongroom.',
    )
  }

  function remembered(memory: SealMemory, sealed: SealedRecord): OpenedRecord {
    const name = sealed.seal.toString('latin1')
    const known = memory.get(name)
    const { sealsGone } = roots
    if (known?.sealsGone === sealsGone && known.record.equals(sealed.record)) return known.opened
    verify(sealed)
    // The frame that brought the record is zeroed after the reply.
    const record = Buffer.from(sealed.record)
    const opened = openSealed(record)
    memory.set(name, { record, opened, sealsGone })
    return opened
  }

  return {
    verify,
    openPolicy: (policy) => remembered(policies, policy),
    openGrant(sealed) {
      const grant = remembered(grants, sealed)
      if (grant.type !== 'grant') throw new Fault('hsm.rejected', 'A record of another kind grants nothing.')
      return grant.fields
    },
    openKey(sealed) {
      verify(sealed)
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

/** Reads a record whose seal was checked. @throws Fault `hsm.rejected` for one that serves hosts in nothing */
export function openSealed(record: Buffer): OpenedRecord {
  try {
    return openRecord(record)
  } catch (error) {
    throw new Fault('hsm.rejected', 'The host knows no such record.', { cause: error })
  }
}
