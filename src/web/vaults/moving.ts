import type { QueryClient } from '@tanstack/react-query'
import { call } from '../interface/calls.ts'
import { pathTo, type Arranged, type Row } from './vault-contents.ts'

/** A folder of a vault, or its root. */
export interface MoveTarget {
  readonly vaultid: string
  readonly folderid: string
}

/** What is copied stays where it is. */
export type Relocation = 'move' | 'copy'

/** What is done with one object. */
export type Relocate = (objectid: string, from: string, to: MoveTarget, signal: AbortSignal) => Promise<void>

interface Move {
  readonly relocate?: Relocate
  readonly ids: readonly string[]
  readonly from: string
  readonly to: MoveTarget
  readonly signal: AbortSignal
  /** After each object. */
  readonly moved?: (left: readonly string[]) => void
}

/** Where an object goes, for the calls that move and copy. */
export const placeIn = (from: string, { vaultid, folderid }: MoveTarget) => ({
  ...(vaultid !== from && { groupid: vaultid }),
  parentid: folderid,
})

const move: Relocate = async (objectid, from, to, signal) =>
  void (await call('object.move', { params: { objectid }, body: placeIn(from, to), signal }))

/** Moves or copies objects one after the other. What was done before a call is refused stays done. @throws Refusal */
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

/** What lies in another of the rows goes with that one. */
export function outermost(arranged: Arranged, rows: readonly Row[]): Row[] {
  const ids = new Set(rows.map(({ object }) => object.id))
  return rows.filter(({ object }) => !pathTo(arranged, object.parentid).some((above) => ids.has(above.object.id)))
}

/** Tells whether rows can go into a folder: not into themselves, and not to where they all are already. */
export function targetsOf(arranged: Arranged, rows: readonly Row[], act: Relocation): (folderid: string) => boolean {
  const ids = new Set(rows.map(({ object }) => object.id))
  return (folderid) =>
    (act === 'copy' || rows.some(({ object }) => object.parentid !== folderid)) &&
    !pathTo(arranged, folderid).some(({ object }) => ids.has(object.id))
}
