import type Database from 'better-sqlite3'
import { checkFloor, type Generation, generationAt, lastGeneration } from '../record-generation.ts'
import { hasRecords, subjectsOfRoots } from '../server/floor-reader.ts'
import { openPrivate } from '../server/private-file.ts'
import { type RisenRows, risenRows } from './risen-rows.ts'

/**
 * The highest generation of each subject that was shown to the keeper of this machine. An older record is an old row
 * that was put back. Stored in a file of its own, which token hosts read.
 */
export interface Floors {
  /** Undefined for an unknown subject. */
  of(subject: Buffer): number | undefined
  /** @throws Fault `hsm.outdated` for a generation below the floor */
  check(generation: Generation): void
}

export interface WritableFloors extends Floors {
  /**
   * Raises floors to these generations; a higher floor stays. They are on the disk, with one sync, when this returns.
   */
  raise(...generations: readonly Generation[]): void
  /** The same for a floor that another keeper reported, which that keeper reports to the others itself. */
  take(subject: Buffer, number: number): void
  /** Lowers a floor to this generation; a lower floor stays. */
  lower(generation: Generation): void
  /** Whether the subject's floor was reported by another keeper. */
  isTold(subject: Buffer): boolean
  subjects(): readonly Buffer[]
  /** The next floors in the order of their subjects, beginning with this one, or with what follows it. */
  from(subject: Buffer, most: number): readonly Generation[]
  /** Whether no record was ever shown. */
  isEmpty(): boolean
  readonly risen: RisenRows
  /** Runs `work` in one transaction, so that all floors it raises take one sync. */
  together(work: () => void): void
  /**
   * Forgets the floors of records: whatever the database has next counts as newest. With a time, keeps those of records
   * that were sealed after it.
   */
  forget(sealedUpTo?: number): void
  close(): void
}

/** Opens the file for the keeper, which alone writes it. */
export function openFloors(path: string): WritableFloors {
  const file = openPrivate(path, 'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  file.exec(
    'CREATE TABLE IF NOT EXISTS floors (subject BLOB PRIMARY KEY, generation INTEGER NOT NULL) STRICT, WITHOUT ROWID',
  )
  const risen = risenRows(file, { table: 'floors', subject: 'subject', number: 'generation' })
  const lift = file.prepare(
    `INSERT INTO floors (subject, generation, rose) VALUES (?, ?, ?)
     ON CONFLICT (subject) DO UPDATE SET generation = excluded.generation, rose = excluded.rose
     WHERE excluded.generation > generation`,
  )
  const lower = file.prepare<Generation>(
    'UPDATE floors SET generation = :number WHERE subject = :subject AND generation > :number',
  )
  const findTold = file.prepare<[Buffer]>('SELECT 1 FROM floors WHERE subject = ? AND rose = 0')
  const list = file.prepare<[], Buffer>('SELECT subject FROM floors').pluck()
  const next = file.prepare<[Buffer, number], Generation>(
    'SELECT subject, generation AS number FROM floors WHERE subject >= ? ORDER BY subject LIMIT ?',
  )
  const forget = file.prepare<[number, number, Buffer, Buffer]>(
    'DELETE FROM floors WHERE (generation <= ? OR generation = ?) AND subject NOT BETWEEN ? AND ?',
  )
  const holdsRecords = hasRecords(file)
  const floors = readFloors(file)
  const liftAll = file.transaction((generations: readonly Generation[]) => {
    for (const { subject, number } of generations) lift.run(subject, number, risen.next())
  })
  const isHigher = ({ subject, number }: Generation): boolean => (floors.of(subject) ?? 0) < number
  return {
    ...floors,
    raise(...generations) {
      const higher = generations.filter(isHigher)
      if (higher.length > 0) liftAll(higher)
    },
    take(subject, number) {
      if (isHigher({ subject, number })) lift.run(subject, number, 0)
    },
    lower: (generation) => void lower.run(generation),
    isTold: (subject) => findTold.get(subject) !== undefined,
    subjects: () => list.all(),
    from: (subject, most) => next.all(subject, most),
    isEmpty: () => !holdsRecords(),
    risen,
    together: (work) => file.transaction(work)(),
    forget: (sealedUpTo) =>
      void forget.run(
        sealedUpTo === undefined ? lastGeneration : generationAt(sealedUpTo),
        lastGeneration,
        ...subjectsOfRoots,
      ),
    close: () => file.close(),
  }
}

function readFloors(file: Database.Database): Floors {
  const find = file.prepare<[Buffer], { readonly generation: number }>(
    'SELECT generation FROM floors WHERE subject = ?',
  )
  const of = (subject: Buffer): number | undefined => find.get(subject)?.generation
  return {
    of,
    check: (generation) => checkFloor(generation, of(generation.subject)),
  }
}
