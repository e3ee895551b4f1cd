import { existsSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileOf } from '../../backup/backup-writer.ts'
import type { Manifest } from '../../backup/manifest.ts'
import type { TarEntry } from '../../backup/tar.ts'
import { configurationFiles } from '../../config/configured-paths.ts'
import { keeperOf } from '../../config/keeper-section.ts'
import type { Config } from '../../config/schema.ts'
import { storeLocation } from '../../config/store-location.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import { takeSnapshot, type DatabaseSnapshot } from '../../store/database-snapshot.ts'
import type { Progress } from '../output/progress.ts'
import { authorityOf, entryFiles, entryFolders, foldersOf, isCertificate, tokenFolderOf } from './appliance-places.ts'
import { diskEntry, placeOf } from './file-entries.ts'
import { makePrivateTempFolder } from './private-temp-folder.ts'
import { tokenEntries } from './token-folder.ts'
import { trailEntries } from './trail-entries.ts'

export interface ApplianceParts {
  readonly configFile: string
  readonly config: Config
  readonly hsm: Pick<Hsm, 'copyState'>
  /** Whether this command started the keeper, which then writes files as this command's user. */
  readonly ownKeeper: boolean
  readonly progress: Progress
}

/** Fields of the manifest that are known once the snapshot of the database was taken. */
export type Taken = Pick<Manifest, 'takenAt' | 'counts' | 'places'>

/**
 * All files of the appliance, which may be running, in an order that keeps them consistent:
 *
 * - The token is copied before the database, and its new files again after it, so that one of the copies has every
 *   object that the database names.
 * - The keeper's file is copied after the database, so that whatever was used up by then stays used up.
 * - The trail is copied after both, so that it has the record of every change in the database and every end that the
 *   keeper has signed.
 */
export async function* applianceEntries(
  { configFile, config, hsm, ownKeeper, progress }: ApplianceParts,
  tell: (taken: Taken) => void,
): AsyncGenerator<TarEntry> {
  const token = tokenFolderOf(config)
  const inToken = new Set<string>()
  if (token !== undefined) yield* tokenEntries(token, inToken, false)
  const snapshot = await takeSnapshot(storeLocation(config))
  tell({ takenAt: snapshot.takenAt, counts: snapshot.counts, places: placesOf(configFile, config) })
  yield* databaseEntries(snapshot, config, progress)
  const signed = yield* keeperEntry(hsm, keeperOf(config).state, ownKeeper)
  if (token !== undefined) yield* tokenEntries(token, inToken, true)
  yield* trailEntries(config.audit.directory, signed)
  yield diskEntry(entryFiles.configuration, configFile)
  const authority = authorityOf(config)
  if (isCertificate(authority)) yield diskEntry(entryFiles.authority, authority)
  for (const { option, path } of configurationFiles(config))
    if (existsSync(path)) yield diskEntry(`${entryFolders.configuration}/${option}`, path)
}

const placesOf = (configFile: string, config: Config): Manifest['places'] => ({
  configuration: placeOf(resolve(configFile)),
  ...Object.fromEntries(Object.entries(foldersOf(config)).map(([name, folder]) => [name, placeOf(folder)])),
})

async function* databaseEntries(
  snapshot: DatabaseSnapshot,
  { store }: Config,
  progress: Progress,
): AsyncGenerator<TarEntry> {
  try {
    if (snapshot.dump !== undefined) yield* dumpEntries(snapshot.dump())
    if (snapshot.copyTo === undefined || store.sqlite === undefined) return
    const folder = makePrivateTempFolder(store.sqlite)
    const copy = join(folder, 'database')
    try {
      await snapshot.copyTo(copy, progress)
      // Close the snapshot early, because the write-ahead log of the database grows until then.
      await snapshot.close()
      yield { ...diskEntry(entryFiles.sqlite, copy), ...ownerOf(store.sqlite) }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  } finally {
    await snapshot.close()
  }
}

/** The keeper's copy of its file. Returns the last signed record of each chain in that copy. */
async function* keeperEntry(
  hsm: ApplianceParts['hsm'],
  state: string,
  ownKeeper: boolean,
): AsyncGenerator<TarEntry, ReadonlyMap<string, number>> {
  const folder = ownKeeper ? makePrivateTempFolder(state) : undefined
  const copy = folder === undefined ? `${state}.copy` : join(folder, 'keeper')
  try {
    const signed = await hsm.copyState(folder && copy)
    yield { ...diskEntry(entryFiles.keeper, copy), ...ownerOf(state) }
    return signed
  } finally {
    rmSync(folder ?? copy, { recursive: true, force: true })
  }
}

const ownerOf = (path: string): Pick<TarEntry, 'mode' | 'owner' | 'group'> => {
  const { mode, owner, group } = placeOf(path)
  return { mode, owner, group }
}

const partBytes = 8 * 1024 * 1024

/** Splits a dump into parts, because the size of a tar entry must be known before its content. */
async function* dumpEntries(dump: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  let [parts, size, held]: [number, number, Buffer[]] = [0, 0, []]
  const part = (): TarEntry => {
    const name = `${entryFolders.dump}/${String(++parts).padStart(6, '0')}.dump`
    const bytes = Buffer.concat(held)
    ;[size, held] = [0, []]
    return fileOf(name, bytes)
  }
  for await (const piece of dump) {
    held.push(piece)
    size += piece.length
    if (size >= partBytes) yield part()
  }
  yield part()
}
