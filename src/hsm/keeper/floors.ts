import type Database from 'better-sqlite3'
import { checkFloor, type Generation } from '../record-generation.ts'
import { openPrivate } from '../server/private-file.ts'
import { type RisenRows, risenRows } from './risen-rows.ts'

/**
 * The highest generation of each thing that was shown to the keeper of this machine: an older record of it is an old
 * row that was put back. In a file of its own, which token hosts read.
 */
export interface Floors {
  /** Undefined for a thing that is not known. */
  of(subject: Buffer): number | undefined
  /** @throws Fault `hsm.outdated` for a generation below the floor */
  check(generation: Generation): void
}

export interface WritableFloors extends Floors {
  /** Lifts floors to these generations; one that is higher already stays. On the disk, with one sync, when it returns. */
  raise(...generations: readonly Generation[]): void
  /** The same on the word of another keeper, which tells it to others itself. */
  take(subject: Buffer, number: number): void
  /** Whether the floor of the thing is one that another keeper has told of. */
  isTold(subject: Buffer): boolean
  readonly risen: RisenRows
  /** Has `work` done with one sync for all that it lifts. */
  together(work: () => void): void
  /** Whatever the database holds next is the newest. */
  forget(): void
  close(): void
}

/** For the keeper. */
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
  const findTold = file.prepare<[Buffer]>('SELECT 1 FROM floors WHERE subject = ? AND rose = 0')
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
    isTold: (subject) => findTold.get(subject) !== undefined,
    risen,
    together: (work) => file.transaction(work)(),
    forget: () => void file.exec('DELETE FROM floors'),
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
