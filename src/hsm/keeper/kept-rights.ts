import { clockSkewMs, longestGrantMs } from '../../access/decision.ts'
import type { WritableFloors } from './floors.ts'

/**
 * The changes of rights that older grants do not know, for as long as such a grant is good: a start of the keeper would
 * otherwise give them back. One row for a subject, of which `floors` keeps one for good: these rows need less of the disk.
 */
export interface KeptRights {
  /** The oldest first. */
  all(): Iterable<KeptRight>
  /** In the place of what was kept of this subject. On the disk with the floor of the subject, in one commit. */
  keep(right: KeptRight): void
  forget(): void
}

export interface KeptRight {
  readonly subject: Buffer
  readonly number: number
  /** Null where another keeper reported the change, and the record was not shown. */
  readonly bits: number | null
  readonly at: number
}

/** By the clock of this machine, no grant of any machine is good for longer. */
const keptMs = longestGrantMs + clockSkewMs

/** @param now not ahead of what has passed since the start */
export function openKeptRights({ file }: Pick<WritableFloors, 'file'>, now: () => number): KeptRights {
  file.exec(`
    CREATE TABLE IF NOT EXISTS changed_rights (
      subject BLOB NOT NULL, is_told INTEGER NOT NULL, number INTEGER NOT NULL, bits INTEGER, at INTEGER NOT NULL,
      PRIMARY KEY (subject, is_told)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS changed_rights_at ON changed_rights (at)
  `)
  const list = file.prepare<[number], KeptRight>(
    'SELECT subject, number, bits, at FROM changed_rights WHERE at >= ? ORDER BY at',
  )
  const keep = file.prepare<KeptRight>(
    `INSERT OR REPLACE INTO changed_rights (subject, is_told, number, bits, at)
     VALUES (:subject, :bits IS NULL, :number, :bits, :at)`,
  )
  const drop = file.prepare('DELETE FROM changed_rights WHERE at < ?')
  return {
    all: () => list.iterate(now() - keptMs),
    keep(right) {
      drop.run(now() - keptMs)
      keep.run(right)
    },
    forget: () => void drop.run(Infinity),
  }
}
