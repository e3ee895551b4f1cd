import { Fault } from '../../fault.ts'
import { verify } from '../pkcs11/seal-operations.ts'
import { type Generation, generationOf, trimmedTo } from '../record-generation.ts'
import type { SealedRecord } from '../sealed-record.ts'
import type { RequestFields } from '../server/request-fields.ts'
import { accountOf } from './account-ids.ts'
import { hasSuccession } from './sealed-records.ts'
import { type NewestRecords, opened } from './shown-record.ts'

/** See `Hsm.raise`: the records of a commit, older ones than which are refused from then on. */
export function raiseShown(on: NewestRecords, fields: RequestFields): Uint8Array[] {
  const generations: Generation[] = []
  const faults: Fault[] = []
  for (let left = fields.integer(); left > 0; left--) {
    const sealed = fields.sealed()
    try {
      generations.push(...raised(on, sealed))
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      faults.push(error)
    }
  }
  on.floors.raise(...generations)
  for (const { subject } of generations) on.sealedRecords.prune(subject)
  // A record that is not good keeps none behind it from rising.
  if (faults[0] !== undefined) throw faults[0]
  return []
}

function raised(on: NewestRecords, sealed: SealedRecord): Generation[] {
  const { token, floors, shownRights, accountIds } = on
  verify(token, sealed)
  const record = opened(sealed.record)
  const account = accountOf(record)
  if (account !== undefined) accountIds.note(account)
  shownRights.note(record)
  const generation = generationOf(record)
  if (generation === undefined) return []
  // An older one raises nothing, and is no error: commits are shown in any order.
  if (hasSuccession(record.type) && generation.number >= (floors.of(generation.subject) ?? 0))
    on.sealedRecords.check(sealed.record, generation)
  // One that was sealed in place of the newest and never committed trims nothing.
  const trimmed = (floors.of(generation.subject) ?? 0) <= generation.number ? trimmedTo(record) : undefined
  return trimmed === undefined ? [generation] : [generation, trimmed]
}
