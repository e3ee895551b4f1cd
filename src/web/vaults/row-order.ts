import { nameOrder } from '../words/name-order.ts'
import type { Row } from './vault-contents.ts'

/** The column and direction by which rows are sorted. */
export interface Sort {
  readonly column: string
  readonly isDescending: boolean
}

interface Ranked {
  readonly row: Row
  readonly rank: number
}

const last = Number.POSITIVE_INFINITY

/**
 * Sorts rows by the texts of a column. In both directions folders come first, and rows without text last. Each text is
 * compared once, however many rows have it.
 */
export function inOrder(
  rows: readonly Row[],
  textOf: (row: Row) => string,
  { isDescending }: Sort,
  locale: string,
): readonly Row[] {
  const texts = new Set(rows.map(textOf))
  texts.delete('')
  const sorted = [...texts].toSorted(nameOrder(locale))
  const ranks = new Map(sorted.map((text, at) => [text, isDescending ? sorted.length - at : at]))
  return rows
    .map((row): Ranked => ({ row, rank: ranks.get(textOf(row)) ?? last }))
    .toSorted((a, b) => Number(b.row.isFolder) - Number(a.row.isFolder) || (a.rank === b.rank ? 0 : a.rank - b.rank))
    .map(({ row }) => row)
}
