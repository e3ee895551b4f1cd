import { Fault } from '../../fault.ts'
import type { SizedObject } from './subtree-records.ts'

/** Limits of the objects that one call moves, copies or deletes together. */
export interface SubtreeBounds {
  readonly objects: number
  /** Unencrypted fields of all objects together, each of which is written again with its row. */
  readonly openBytes: number
}

/** All search texts together. In the worst case, where all trigrams differ, SQLite takes about a second for them. */
const mostSearchBytes = 1024 * 1024

/**
 * Checks the limits before any text is read, so that neither memory nor the writer of SQLite is occupied for long. A
 * single object is always allowed: it costs no more than its creation did.
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
