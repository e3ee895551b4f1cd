import { Fault } from '../../fault.ts'
import { checkFloor, type Generation } from '../record-generation.ts'
import type { RecordType } from '../record-layouts.ts'
import { recordDigest } from '../sealed-record.ts'
import type { Floors } from './floors.ts'
import type { KeeperState } from './keeper-state.ts'

/**
 * What was sealed in place of what, of accounts, memberships and keys. A worker may have several records sealed in place
 * of one row: once one of them was committed the others are dead, and so is what was sealed in place of these.
 */
export interface SealedRecords {
  /**
   * Of a record that is about to be sealed in place of that number, 0 for the first of a thing.
   * @throws Fault `store.conflict` where another record of the number was sealed
   */
  note(record: Buffer, generation: Generation, previous: number): void
  /** @throws Fault `hsm.outdated` for a record that is older than the floor, or dead */
  check(record: Buffer, generation: Generation): void
  /** Whether it was shown as committed, as far as it was sealed here. */
  isSettled(generation: Generation): boolean
  /** The thing has come to its floor: what is older tells nothing any more. */
  prune(subject: Buffer): void
  /** The operator has accepted older records. */
  forget(): void
}

/** Those of which a fork would matter, and of which there are few for each thing. */
export const hasSuccession = (type: RecordType): boolean => successive.has(type)

const successive: ReadonlySet<RecordType> = new Set([
  'user',
  'service account',
  'application key',
  'membership',
  'scoped membership',
  'transparent key 2',
] as const)

interface Sealing {
  readonly digest: Buffer
  readonly previous: number
}

/** Changes of one thing that wait for one commit; of more, the last waits for its turn. */
const longestSuccession = 1_000

export function createSealedRecords(state: KeeperState, floors: Floors): SealedRecords {
  state.exec(
    `CREATE TABLE IF NOT EXISTS sealed_records (subject BLOB NOT NULL, number INTEGER NOT NULL, digest BLOB NOT NULL,
     previous INTEGER NOT NULL, PRIMARY KEY (subject, number)) STRICT, WITHOUT ROWID`,
  )
  const keep = state.prepare(
    'INSERT OR IGNORE INTO sealed_records (subject, number, digest, previous) VALUES (?, ?, ?, ?)',
  )
  const find = state.prepare<[Buffer, number], Sealing>(
    'SELECT digest, previous FROM sealed_records WHERE subject = ? AND number = ?',
  )
  const prune = state.prepare('DELETE FROM sealed_records WHERE subject = ? AND number < ?')

  /** Whether each was sealed in place of the one before it, from the floor on; as far as they were sealed here. */
  function succeeds(subject: Buffer, first: number, floor: number): boolean {
    let number = first
    for (let steps = 0; number > floor && steps < longestSuccession; steps++) {
      const sealing = find.get(subject, number)
      if (sealing === undefined) return true
      number = sealing.previous
    }
    return number === floor
  }

  return {
    note(record, { subject, number }, previous) {
      const digest = recordDigest(record)
      if (keep.run(subject, number, digest, previous).changes === 1) return
      if (find.get(subject, number)?.digest.equals(digest) !== true) throw new Fault('store.conflict')
    },
    check(record, generation) {
      const { subject, number } = generation
      const floor = floors.of(subject)
      checkFloor(generation, floor)
      const sealing = find.get(subject, number)
      const isOther = sealing !== undefined && !sealing.digest.equals(recordDigest(record))
      // Below any floor it is as if nothing had been.
      if (isOther || (floor !== undefined && !succeeds(subject, number, floor))) checkFloor({ subject, number: -1 }, 0)
    },
    isSettled: ({ subject, number }) => (floors.of(subject) ?? 0) >= number || find.get(subject, number) === undefined,
    prune(subject) {
      prune.run(subject, floors.of(subject) ?? 0)
    },
    forget: () => void state.exec('DELETE FROM sealed_records'),
  }
}
