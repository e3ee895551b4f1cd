import { Fault } from '../../fault.ts'
import { verify } from '../pkcs11/seal-operations.ts'
import { type Generation, generationOf, trimmedTo } from '../record-generation.ts'
import type { SealedRecord } from '../sealed-record.ts'
import type { RequestFields } from '../server/request-fields.ts'
import { accountOf } from './account-ids.ts'
import { hasSuccession, type SealedRecords } from './sealed-records.ts'
import { type NewestRecords, opened } from './shown-record.ts'
import { isTombstone } from './tombstones.ts'

type RaisingDependencies = NewestRecords & { readonly sealedRecords: Pick<SealedRecords, 'checkTombstone'> }

/** See `Hsm.raise`: takes the records of a commit, and refuses older ones from then on. */
export function raiseShown(on: RaisingDependencies, fields: RequestFields): Uint8Array[] {
  const risen: Risen[] = []
  const faults: Fault[] = []
  for (const sealed of fields.list(() => fields.sealed())) {
    try {
      risen.push(raised(on, sealed))
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      faults.push(error)
    }
  }
  on.floors.raise(...risen.flatMap(({ generations }) => generations))
  for (const { settle } of risen) settle?.()
  // A bad record does not stop those after it.
  if (faults[0] !== undefined) throw faults[0]
  return []
}

interface Risen {
  readonly generations: readonly Generation[]
  /** To be called once the floors are raised. */
  readonly settle?: () => void
}

function raised(on: RaisingDependencies, sealed: SealedRecord): Risen {
  const { token, floors, shownRights, accountIds } = on
  verify(token, sealed)
  const record = opened(sealed.record)
  const generation = generationOf(record)
  if (generation === undefined) return { generations: [] }
  const before = floors.of(generation.subject)
  const settle = () => on.sealedRecords.settle(sealed.record, generation, before)
  if (isTombstone(record.type)) {
    on.sealedRecords.checkTombstone(sealed.record, generation)
    return { generations: [generation], settle }
  }
  if (!hasSuccession(record.type)) return { generations: [generation] }
  // An older record raises nothing and is no error, because commits are shown in any order.
  if (generation.number < (before ?? 0)) return { generations: [] }
  on.sealedRecords.check(sealed.record, generation)
  // Only now: nothing may be noted of a dead record, neither its account's id nor its user's rights.
  const account = accountOf(record)
  if (account !== undefined) accountIds.note(account)
  shownRights.note(record)
  // A record that was sealed but never committed must not trim versions.
  const trimmed = trimmedTo(record)
  return { generations: trimmed === undefined ? [generation] : [generation, trimmed], settle }
}
