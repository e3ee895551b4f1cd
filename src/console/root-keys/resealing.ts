import type { Hsm } from '../../hsm/hsm.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { sealedPages, type SealedRow, type SealedRows, sealedRows } from '../../daemon/sealed-rows.ts'

/** The context of a pass over all sealed rows. */
export interface ResealPass {
  readonly reader: Reader
  readonly hsm: Pick<Hsm, 'sealAnew'>
  /** Commits one page of the pass, with this number of rows, together with its audit record. */
  readonly commit: (rows: number, work: (tx: Tx) => Promise<number>) => Promise<number>
  /** Called after each page with the number of checked seals. */
  readonly progress: (done: number, total: number) => void
}

export interface ResealOutcome {
  readonly moved: number
  /** Rows whose seal no version made. They were edited, and are refused wherever they are used. */
  readonly left: readonly string[]
}

/**
 * Replaces all seals of older versions by seals of the newest one, a page per transaction. A row does not tell the
 * version of its seal, so the keeper checks each one. After an interruption the next pass checks all rows again, and
 * leaves finished ones unchanged.
 */
export async function sealRowsAnew(pass: ResealPass): Promise<ResealOutcome> {
  const { reader, hsm, commit, progress } = pass
  const total = await countSeals(reader)
  const left: string[] = []
  let [moved, done] = [0, 0]
  for await (const page of sealedPages(reader)) {
    const { older, broken } = await judged(hsm, page)
    left.push(...broken)
    if (older.length > 0)
      moved += await commit(older.length, async (tx) => {
        let replaced = 0
        for (const { row, seal } of older) if (await row.replace(tx, seal)) replaced++
        return replaced
      })
    done += page.length
    progress(done, total)
  }
  return { moved, left }
}

/** The number of rows that an older version sealed. Rows with two seals count once. */
export async function countOlder(reader: Reader, hsm: Pick<Hsm, 'sealAnew'>): Promise<number> {
  const names = new Set<string>()
  for await (const page of sealedPages(reader))
    for (const { row } of (await judged(hsm, page)).older) names.add(row.name)
  return names.size
}

/**
 * Names the rows that have a seal which no version made. Changes no row; `progress` gets the number of checked seals.
 */
export async function brokenSeals({ reader, hsm, progress }: Omit<ResealPass, 'commit'>): Promise<string[]> {
  const total = await countSeals(reader)
  const found: string[] = []
  let done = 0
  for await (const page of sealedPages(reader)) {
    found.push(...(await judged(hsm, page)).broken)
    progress((done += page.length), total)
  }
  return found
}

export async function countSealedRows(reader: Reader): Promise<number> {
  return sum(reader, new Map(sealedRows.map((rows) => [rows.table, rows])).values())
}

const countSeals = (reader: Reader): Promise<number> => sum(reader, sealedRows)

async function sum(reader: Reader, all: Iterable<SealedRows>): Promise<number> {
  let total = 0
  for (const rows of all) total += await rows.count(reader)
  return total
}

interface Judged {
  /** The records with a seal that a version of this token made. */
  readonly good: readonly Buffer[]
  /** Rows with older seals, and their new seals. */
  readonly older: readonly { readonly row: SealedRow; readonly seal: Buffer }[]
  readonly broken: readonly string[]
}

/** Tells good seals, older ones among them, from broken ones, by the keeper. */
export async function judged(hsm: Pick<Hsm, 'sealAnew'>, page: readonly SealedRow[]): Promise<Judged> {
  // Rows without a seal are destroyed devices, and rows of earlier releases that "strongroom init" will seal.
  const bearing = page.filter(({ seal }) => seal.length > 0)
  const shown = bearing.flatMap((row) =>
    row.record === undefined ? [] : [{ row, record: row.record, seal: row.seal }],
  )
  const seals = shown.length === 0 ? [] : await hsm.sealAnew(shown)
  const older = shown.flatMap(({ row }, at) => {
    const seal = seals[at]
    return seal === undefined || seal.equals(row.seal) ? [] : [{ row, seal }]
  })
  const good = shown.filter((_, at) => seals[at] !== undefined)
  const goodRows = new Set(good.map(({ row }) => row))
  return {
    good: good.map(({ record }) => record),
    older,
    broken: bearing.filter((row) => !goodRows.has(row)).map(({ name }) => name),
  }
}
