import { Fault } from '../../fault.ts'
import { verify } from '../pkcs11/seal-operations.ts'
import { listLimits } from '../protocol/fields.ts'
import { generationOf, isTombstone } from '../record-generation.ts'
import type { SealedRecord } from '../sealed-record.ts'
import type { RequestFields } from '../server/request-fields.ts'
import { hasSuccession, type SealedRecords } from './sealed-records.ts'
import { committed, type Committed, type NewestRecords, opened } from './shown-record.ts'

type RaisingDependencies = NewestRecords & { readonly sealedRecords: Pick<SealedRecords, 'checkTombstone'> }

/** See `Hsm.raise`: takes the records of a commit, and refuses older ones from then on. */
export function raiseShown(on: RaisingDependencies, fields: RequestFields): Uint8Array[] {
  const all: Committed[] = []
  const faults: Fault[] = []
  for (const sealed of fields.list(() => fields.sealed(), listLimits.raise)) {
    try {
      all.push(raised(on, sealed))
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      faults.push(error)
    }
  }
  on.floors.raise(...all.flatMap(({ generations }) => generations))
  for (const { settle } of all) settle?.()
  // A bad record does not stop those after it.
  if (faults[0] !== undefined) throw faults[0]
  return []
}

function raised(on: RaisingDependencies, sealed: SealedRecord): Committed {
  verify(on.token, sealed)
  const record = opened(sealed.record)
  const generation = generationOf(record)
  if (generation === undefined) return { generations: [] }
  if (isTombstone(record.type)) on.sealedRecords.checkTombstone(sealed.record, generation)
  if (hasSuccession(record.type)) {
    // An older record raises nothing and is no error, because commits are shown in any order.
    if (generation.number < (on.floors.of(generation.subject) ?? 0)) return { generations: [] }
    // Nothing is noted of a dead record, neither its account's id nor its rights, and it trims no versions.
    on.sealedRecords.check(sealed.record, generation)
  }
  return committed(on, sealed.record, record)
}
