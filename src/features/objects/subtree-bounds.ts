import { Fault } from '../../fault.ts'
import type { SizedObject } from './subtree-records.ts'

/** What one call may take along. */
export interface SubtreeBounds {
  readonly objects: number
  /** Of all open fields together: each is written anew with its row. */
  readonly openBytes: number
}

/** Of all search texts together: where each trigram is another one, SQLite takes about a second for them. */
const mostSearchBytes = 1024 * 1024

/**
 * Before any text is read, so that neither memory nor the writer of SQLite is held for long. An object by itself always goes:
 * it costs no more than making it did.
 * @throws Fault `object.not_found`, `object.invalid`
 */
export function checkSubtree(rows: readonly SizedObject[], most: SubtreeBounds, verb: 'move or copy' | 'delete'): void {
  if (rows.length === 0) throw new Fault('object.not_found')
  const refuse = (what: string): never => {
    throw new Fault('object.invalid', `${what}: ${verb} its children in smaller parts.`)
  }
  if (rows.length > most.objects) refuse(`More than ${most.objects} objects are too many for one call`)
  if (rows.length === 1) return
  const sum = (bytesOf: (row: SizedObject) => number) => rows.reduce((bytes, row) => bytes + bytesOf(row), 0)
  if (sum(({ openBytes }) => openBytes) > most.openBytes)
    refuse(`Its open fields are more than ${most.openBytes} bytes, too many for one call`)
  if (sum(({ searchBytes }) => searchBytes) > mostSearchBytes)
    refuse(`What a search looks through in it is more than ${mostSearchBytes} bytes, too many for one call`)
}
