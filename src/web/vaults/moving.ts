import type { QueryClient } from '@tanstack/react-query'
import { call } from '../interface/calls.ts'
import { pathTo, type Arranged, type Row } from './vault-contents.ts'

/** A folder of a vault, or its root. */
export interface MoveTarget {
  readonly vaultid: string
  readonly folderid: string
}

/** A copy leaves the original where it is. */
export type Relocation = 'move' | 'copy'

/** Moves or copies one object. `from`: id of its vault. */
export type Relocate = (objectid: string, from: string, to: MoveTarget, signal: AbortSignal) => Promise<void>

interface Move {
  readonly relocate?: Relocate
  readonly ids: readonly string[]
  readonly from: string
  readonly to: MoveTarget
  readonly signal: AbortSignal
  /** Called after each object with the ids that are left. */
  readonly moved?: (left: readonly string[]) => void
}

/** The body of the calls that move and copy, for a target. */
export const placeIn = (from: string, { vaultid, folderid }: MoveTarget) => ({
  ...(vaultid !== from && { groupid: vaultid }),
  parentid: folderid,
})

const move: Relocate = async (objectid, from, to, signal) =>
  void (await call('object.move', { params: { objectid }, body: placeIn(from, to), signal }))

/**
 * Moves or copies objects one after the other. Objects that were done before a call failed stay done. @throws Refusal
 */
export async function moveObjects(
  queries: QueryClient,
  { relocate = move, ids, from, to, signal, moved }: Move,
): Promise<void> {
  try {
    for (const [at, objectid] of ids.entries()) {
      await relocate(objectid, from, to, signal)
      moved?.(ids.slice(at + 1))
    }
  } finally {
    for (const vaultid of new Set([from, to.vaultid])) void queries.invalidateQueries({ queryKey: ['vault', vaultid] })
    for (const id of ids) void queries.invalidateQueries({ queryKey: ['object', id] })
  }
}

/** The rows that are not inside another of the rows. Those inside one are moved together with it. */
export function outermost(arranged: Arranged, rows: readonly Row[]): Row[] {
  const ids = new Set(rows.map(({ object }) => object.id))
  return rows.filter(({ object }) => !pathTo(arranged, object.parentid).some((above) => ids.has(above.object.id)))
}

/** Returns a test whether the rows can go into a folder: not into themselves, and not where all of them already are. */
export function targetsOf(arranged: Arranged, rows: readonly Row[], act: Relocation): (folderid: string) => boolean {
  const ids = new Set(rows.map(({ object }) => object.id))
  return (folderid) =>
    (act === 'copy' || rows.some(({ object }) => object.parentid !== folderid)) &&
    !pathTo(arranged, folderid).some(({ object }) => ids.has(object.id))
}
