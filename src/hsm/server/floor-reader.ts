import { existsSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { Fault } from '../../fault.ts'
import { identityOf } from '../../file-identity.ts'
import { asOwnerOf } from '../../folder-owner.ts'
import {
  checkFloor,
  type FloorCheck,
  generationOf,
  newestRoots,
  newestRootSubject,
  trimmedTo,
  vaultGenerationOf,
  vaultOfSubject,
  vaultSubjects,
} from '../record-generation.ts'
import type { OpenedRecord } from '../record-layouts.ts'

/** How often to check whether the file was replaced by another. */
const lookEveryMs = 5_000

/**
 * Reads the floors of this machine's keeper, which a token host checks before every use. A checked record is not looked
 * up again until the file changes. So the uses of one turn of the event loop cost one `PRAGMA data_version` (2.1 µs),
 * and 2.8 µs more for each record after a change. Without a file of a keeper there are no floors.
 */
export function openFloorReader(path: string): FloorCheck {
  let file: OpenFile | undefined
  let lookedMs = 0
  let good = new WeakMap<OpenedRecord, number>()
  let told: ReadonlySet<string> = new Set()
  let toldVersion: number | undefined

  function look(nowMs: number): void {
    lookedMs = nowMs
    const stat = statSync(path, { throwIfNoEntry: false })
    const identity = stat && identityOf(stat)
    if (identity === file?.identity) return
    file?.close()
    // If opening fails, the next use tries again.
    file = undefined
    good = new WeakMap()
    toldVersion = undefined
    if (identity !== undefined) file = open(path, identity)
  }

  /** Runs `work` with the file; undefined where there is none. */
  function reading<T>(work: (file: OpenFile) => T): T | undefined {
    try {
      const nowMs = performance.now()
      if (file === undefined || nowMs - lookedMs > lookEveryMs) look(nowMs)
      return file && work(file)
    } catch (error) {
      if (error instanceof Fault) throw error
      // Without the file a host cannot recognize outdated records.
      throw new Fault('hsm.unavailable', 'The floors of the keeper cannot be read.', { cause: error })
    }
  }

  function check(floors: OpenFile, records: readonly OpenedRecord[]): void {
    const version = floors.version()
    for (const record of records) {
      if (good.get(record) === version) continue
      for (const generation of [generationOf(record), vaultGenerationOf(record)])
        if (generation !== undefined) checkFloor(generation, floors.floorOf(generation.subject))
      good.set(record, version)
    }
  }

  /** The vaults that are deleted now and were not when the file was last read for this. */
  function deletedSince(floors: OpenFile): Buffer[] {
    const version = floors.version()
    if (version === toldVersion) return []
    const vaults = floors.deletedVaults()
    const fresh = vaults.filter((vault) => !told.has(vault.toString('latin1')))
    // A vault that came back by a restore may be deleted again.
    told = new Set(vaults.map((vault) => vault.toString('latin1')))
    toldVersion = version
    return fresh
  }

  return {
    check: (...records) => reading((floors) => check(floors, records)),
    knows(record) {
      const generation = trimmedTo(record) ?? generationOf(record)
      if (generation === undefined) return true
      return reading((floors) => (floors.floorOf(generation.subject) ?? 0) >= generation.number) ?? true
    },
    newlyDeleted: () => reading(deletedSince) ?? [],
    newestRoot: (role) => reading((floors) => floors.floorOf(newestRootSubject(role))),
    close: () => file?.close(),
  }
}

interface OpenFile {
  readonly identity: string
  /** A number that differs after every change of the file. */
  version(): number
  floorOf(subject: Buffer): number | undefined
  deletedVaults(): Buffer[]
  close(): void
}

/** Whether the keeper knows a row, for a command of the operator, who may be root. */
export function holdsFloors(path: string): boolean {
  if (!existsSync(path)) return false
  return asOwnerOf(path, () => {
    const file = openQuerying(path)
    try {
      return hasRecords(file)()
    } finally {
      file.close()
    }
  })
}

/** Whether a file of floors has one of a record, and not only those of root keys, which every token has. */
export function hasRecords(file: Database.Database): () => boolean {
  const find = file.prepare('SELECT 1 FROM floors WHERE subject NOT BETWEEN ? AND ? LIMIT 1')
  return () => find.get(...subjectsOfRoots) !== undefined
}

/** The bounds of the subjects of root keys. */
export const subjectsOfRoots = [newestRoots, Buffer.concat([newestRoots, Buffer.from([0xff])])] as const

function openQuerying(path: string): Database.Database {
  const file = new Database(path, { fileMustExist: true })
  // Not opened read-only, because a reader of a WAL file may have to rebuild its index.
  file.exec('PRAGMA query_only = ON')
  return file
}

/** Undefined while the keeper is making the file. */
function open(path: string, identity: string): OpenFile | undefined {
  const file = openQuerying(path)
  if (file.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'floors'`).get() === undefined) {
    file.close()
    return undefined
  }
  const version = file.prepare<[], number>('PRAGMA data_version').pluck()
  const find = file.prepare<[Buffer], number>('SELECT generation FROM floors WHERE subject = ?').pluck()
  const deleted = file
    .prepare<[Buffer, Buffer], Buffer>('SELECT subject FROM floors WHERE subject BETWEEN ? AND ?')
    .pluck()
  let current: number | undefined
  /** Read once for requests that run in one turn, since all of them arrived before the first one began. */
  const versionNow = (): number => {
    if (current === undefined) queueMicrotask(() => (current = undefined))
    return (current ??= version.get() ?? 0)
  }
  const lastSubject = Buffer.concat([vaultSubjects, Buffer.from([0xff])])
  return {
    identity,
    version: versionNow,
    floorOf: (subject) => find.get(subject),
    deletedVaults: () => deleted.all(vaultSubjects, lastSubject).map(vaultOfSubject),
    close: () => file.close(),
  }
}
