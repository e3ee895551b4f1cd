import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { Fault } from '../../fault.ts'
import { checkFloor, type FloorCheck, generationOf } from '../record-generation.ts'
import type { OpenedRecord } from '../record-layouts.ts'

/** How often it is looked whether there is another file in place of the one that is open. */
const lookEveryMs = 5_000

/**
 * The floors that the keeper of this machine keeps, for a token host: before every use. What was checked is not looked
 * up again until the file changes, so that a use costs `PRAGMA data_version` (2.1 µs), and 2.8 µs more for each record
 * after a change. Before there is a keeper there are no floors.
 */
export function openFloorReader(path: string): FloorCheck {
  let file: OpenFile | undefined
  let lookedMs = 0
  let good = new WeakMap<OpenedRecord, number>()

  function look(nowMs: number): void {
    lookedMs = nowMs
    const inode = statSync(path, { throwIfNoEntry: false })?.ino
    if (inode === file?.inode) return
    file?.close()
    // Where opening it fails, the next use tries again.
    file = undefined
    good = new WeakMap()
    if (inode !== undefined) file = open(path, inode)
  }

  function check(records: readonly OpenedRecord[]): void {
    const nowMs = performance.now()
    if (file === undefined || nowMs - lookedMs > lookEveryMs) look(nowMs)
    if (file === undefined) return
    const version = file.version()
    for (const record of records) {
      if (good.get(record) === version) continue
      const generation = generationOf(record)
      if (generation !== undefined) checkFloor(generation, file.floorOf(generation.subject))
      good.set(record, version)
    }
  }

  return {
    check(...records) {
      try {
        check(records)
      } catch (error) {
        if (error instanceof Fault) throw error
        // Without it nobody knows what is old.
        throw new Fault('hsm.unavailable', 'The token host cannot read the floors of the keeper.', { cause: error })
      }
    },
    close: () => file?.close(),
  }
}

interface OpenFile {
  readonly inode: number
  /** Another one after every change of the file. */
  version(): number
  floorOf(subject: Buffer): number | undefined
  close(): void
}

function open(path: string, inode: number): OpenFile {
  const file = new Database(path, { fileMustExist: true })
  // Not opened read-only: a reader of a WAL file may have to make its index anew.
  file.pragma('query_only = ON')
  const version = file.prepare<[], number>('PRAGMA data_version').pluck()
  const find = file.prepare<[Buffer], number>('SELECT generation FROM floors WHERE subject = ?').pluck()
  return {
    inode,
    version: () => version.get() ?? 0,
    floorOf: (subject) => find.get(subject),
    close: () => file.close(),
  }
}
