import type Database from 'better-sqlite3'
import { checkFloor, type Generation, generationAt, lastGeneration } from '../record-generation.ts'
import { hasRecords, subjectsOfRoots } from '../server/floor-reader.ts'
import { openPrivate } from '../server/private-file.ts'
import { type HighestNumbers, highestNumbers } from './risen-rows.ts'

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

export interface WritableFloors extends Floors, Pick<HighestNumbers, 'take' | 'risen'> {
  /**
   * Raises floors to these generations; a higher floor stays. They are on the disk, with one sync, when this returns.
   */
  raise(...generations: readonly Generation[]): void
  /** Lowers a floor to this generation; a lower floor stays. */
  lower(generation: Generation): void
  /** Whether the subject's floor was reported by another keeper. */
  isTold(subject: Buffer): boolean
  subjects(): readonly Buffer[]
  /** The next floors in the order of their subjects, beginning with this one, or with what follows it. */
  from(subject: Buffer, most: number): readonly Generation[]
  /** Whether no record was ever shown. */
  isEmpty(): boolean
  /** Runs `work` in one transaction, so that all floors it raises take one sync. */
  together(work: () => void): void
  /**
   * Forgets the floors of records: whatever the database has next counts as newest. With a time, keeps those of records
   * that were sealed after it.
   */
  forget(sealedUpTo?: number): void
  /** For other tables, whose rows are committed with the floors. */
  readonly file: Database.Database
  close(): void
}

/** Opens the file for the keeper, which alone writes it. */
export function openFloors(path: string): WritableFloors {
  const file = openPrivate(path, 'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  const floors = highestNumbers(file, { table: 'floors', subject: 'subject', number: 'generation' })
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
  const raiseAll = file.transaction((generations: readonly Generation[]) => {
    for (const { subject, number } of generations) floors.raise(subject, number)
  })
  const isHigher = ({ subject, number }: Generation): boolean => (floors.of(subject) ?? 0) < number
  return {
    ...floors,
    check: (generation) => checkFloor(generation, floors.of(generation.subject)),
    raise(...generations) {
      const higher = generations.filter(isHigher)
      if (higher.length > 0) raiseAll(higher)
    },
    lower: (generation) => void lower.run(generation),
    isTold: (subject) => findTold.get(subject) !== undefined,
    subjects: () => list.all(),
    from: (subject, most) => next.all(subject, most),
    isEmpty: () => !holdsRecords(),
    together: (work) => file.transaction(work)(),
    forget: (sealedUpTo) =>
      void forget.run(
        sealedUpTo === undefined ? lastGeneration : generationAt(sealedUpTo),
        lastGeneration,
        ...subjectsOfRoots,
      ),
    file,
    close: () => file.close(),
  }
}
