import { verify } from '../pkcs11/seal-operations.ts'
import { type Generation, generationOf, trimmedTo } from '../record-generation.ts'
import type { SealedRecord } from '../sealed-record.ts'
import type { RequestFields } from '../server/request-fields.ts'
import { accountOf } from './account-ids.ts'
import { type NewestRecords, opened } from './shown-record.ts'

/** See `Hsm.raise`: the records of a commit, older ones than which are refused from then on. */
export function raiseShown(on: NewestRecords, fields: RequestFields): Uint8Array[] {
  const generations: Generation[] = []
  try {
    for (let left = fields.integer(); left > 0; left--) generations.push(...raised(on, fields.sealed()))
  } finally {
    // What was good before a record that is not rises all the same.
    on.floors.raise(...generations)
  }
  return []
}

function raised({ token, floors, shownRights, accountIds }: NewestRecords, sealed: SealedRecord): Generation[] {
  verify(token, sealed)
  const record = opened(sealed.record)
  const account = accountOf(record)
  if (account !== undefined) accountIds.note(account)
  shownRights.note(record)
  const generation = generationOf(record)
  if (generation === undefined) return []
  // One that was sealed in place of the newest and never committed trims nothing.
  const trimmed = (floors.of(generation.subject) ?? 0) <= generation.number ? trimmedTo(record) : undefined
  return trimmed === undefined ? [generation] : [generation, trimmed]
}
