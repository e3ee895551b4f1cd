import { hash } from 'node:crypto'
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { BackupError } from '../../backup/backup-error.ts'
import { type BackupSource, readBackup, type ReadBackup } from '../../backup/backup-reader.ts'
import { configurationFiles } from '../../config/configured-paths.ts'
import { readSecret } from '../../config/loader.ts'
import { keeperOf } from '../../config/keeper-section.ts'
import { storeLocation } from '../../config/store-location.ts'
import { databaseFiles } from '../../folder-owner.ts'
import { isAnyServed } from '../../hsm/protocol/served-socket.ts'
import { restoreDump } from '../../store/database-snapshot.ts'
import { inspectStore, occupantsOf } from '../../store/inspection.ts'
import { withTokenFolder } from '../softhsm-file.ts'
import { authorityOf, entryFiles, entryFolders, isApplianceEntry } from './appliance-places.ts'
import { writeEntry } from './backup-inspection.ts'
import { checkRoom } from './backup-preview.ts'
import { credentialFolder, type RestoredConfiguration } from './restored-configuration.ts'
import { belongTo, isFolder, place, type Placement, usedBy, writeWhole } from './restored-places.ts'

/** Secrets that are not in the backup, by option: paths of files that the operator has kept. */
export type KeptFiles = Readonly<Record<'hsm.pinFile' | 'tls.key' | 'store.postgresUrlFile', string | undefined>>

/**
 * A file in the folder that a backup is unpacked to. It lists the files that are being put in place, where none existed
 * before.
 */
const placingFile = 'placing.json'

interface Placing {
  /** The configuration file, which is written last: once it exists, the restore is complete. */
  readonly configuration: string
  readonly paths: readonly string[]
  /** The SHA-256 of the URL of the PostgreSQL database that is being filled and was empty before. */
  readonly postgres?: string
}

/** Unpacks into an empty folder those files of a backup that its trusted manifest lists. */
export async function unpackBackup(source: Required<BackupSource>, folder: string): Promise<ReadBackup> {
  checkRoom(folder, { manifest: source.expected }, isApplianceEntry)
  return readBackup(source, async (entry) => {
    if (!isApplianceEntry(entry.name))
      throw new BackupError(`${entry.name} is not a file of an appliance: the backup was made up. Take another one.`)
    const path = join(folder, entry.name)
    await writeEntry(entry, path)
    // Files of data get their owner when they are put in place; see `place`.
    if (entry.name.startsWith(`${entryFolders.configuration}/`)) belongTo(path, entry)
  })
}

/**
 * Removes the files that an interrupted restore has put in place. None existed before, and without a configuration no
 * daemon has used them. If a PostgreSQL database may be partly filled, returns the hash of its URL; the next restore
 * replaces its content.
 */
export function clearInterrupted(folder: string): string | undefined {
  const file = join(folder, placingFile)
  if (!existsSync(file)) {
    rmSync(folder, { recursive: true, force: true })
    return undefined
  }
  const placing: Placing = JSON.parse(readFileSync(file, 'utf8'))
  const isDone = existsSync(placing.configuration)
  for (const path of isDone ? [] : placing.paths.flatMap(databaseFiles)) rmSync(path, { recursive: true, force: true })
  const halfFilled = isDone ? undefined : placing.postgres
  if (halfFilled === undefined) rmSync(folder, { recursive: true, force: true })
  else {
    for (const name of readdirSync(folder))
      if (name !== placingFile) rmSync(join(folder, name), { recursive: true, force: true })
    // Files that are put there later are not this restore's: forget the paths.
    writeWhole(file, JSON.stringify({ ...placing, paths: [] }), 0o600)
  }
  return halfFilled
}

/** Copies the kept files beside the unpacked ones, and returns the target of each file. */
export function placementsOf(
  folder: string,
  { config, token }: RestoredConfiguration,
  { manifest: { places } }: ReadBackup,
  kept: KeptFiles,
): Placement[] {
  const { store, audit } = config
  const { state, floors } = keeperOf(config)
  const data = (name: string, to: string, of: string, path = dirname(to)): Placement => ({
    from: join(folder, name),
    to,
    holder: { path, place: places[of] },
  })
  return [
    ...(store.sqlite === undefined ? [] : [data(entryFiles.sqlite, store.sqlite, 'database')]),
    ...(token === undefined ? [] : [data(entryFolders.token, token, 'token', token)]),
    data(entryFiles.keeper, state, 'keeper'),
    // Floors are not in the backup: the restored rows count as the newest.
    { from: join(folder, 'floors'), to: floors },
    data(entryFolders.trail, audit.directory, 'trail', audit.directory),
    ...[...configurationFiles(config), { option: basename(entryFiles.authority), path: authorityOf(config) }]
      .map(({ option, path }) => ({ from: join(folder, entryFolders.configuration, option), to: path }))
      .filter(({ from }) => existsSync(from)),
    ...secretPlacements(folder, config, kept, places),
  ]
}

/** Each secret belongs to the user who reads it; credentials that systemd passes on belong to root. */
function secretPlacements(
  folder: string,
  { hsm, tls, store }: RestoredConfiguration['config'],
  kept: KeptFiles,
  places: ReadBackup['manifest']['places'],
): Placement[] {
  const secrets = [
    { option: 'hsm.pinFile', to: hsm.pinFile, reader: places['keeper'] },
    { option: 'tls.key', to: tls.key, reader: places['trail'] },
    { option: 'store.postgresUrlFile', to: store.postgresUrlFile, reader: places['trail'] },
  ] as const
  return secrets.flatMap(({ option, to, reader }) => {
    const file = kept[option]
    if (file === undefined || to === undefined || resolve(file) === resolve(to)) return []
    const from = join(folder, option)
    copyFileSync(file, from)
    const owner = to.startsWith(credentialFolder) ? undefined : reader
    belongTo(from, { mode: 0o400, owner: owner?.owner ?? 'root', group: owner?.group ?? 'root' })
    return [{ from, to }]
  })
}

/** @throws BackupError if there is or was an appliance in these places */
export async function checkEmpty(
  { config, file }: RestoredConfiguration,
  placements: readonly Placement[],
): Promise<void> {
  const { hsm } = config
  if (await isAnyServed([...hsm.sockets, keeperOf(config).socket]))
    throw new BackupError('A daemon runs here: stop it, and restore into an empty place.')
  const used = existsSync(file) ? file : placements.map(usedBy).find((path) => path !== undefined)
  if (used !== undefined)
    throw new BackupError(
      `${used} is there already, and a restore takes nothing's place: move what was before away, or restore elsewhere (--into).`,
    )
}

/**
 * `halfFilled` is the database that an interrupted restore left partly filled; only that one may be replaced.
 * @throws BackupError if the PostgreSQL database has any other content
 */
export async function checkEmptyPostgres(
  { config }: RestoredConfiguration,
  kept: KeptFiles,
  halfFilled: string | undefined,
): Promise<void> {
  if (config.store.postgresUrlFile === undefined) return
  const urlFile = kept['store.postgresUrlFile'] ?? config.store.postgresUrlFile
  if (!existsSync(urlFile))
    throw new BackupError(
      `The URL of PostgreSQL is in no backup: give the file that holds that of an empty database (--postgres-url-file).`,
    )
  const postgresUrl = readSecret(urlFile)
  if (hashOfUrl(postgresUrl) === halfFilled) return
  if ((await inspectStore({ postgresUrl })).exists)
    throw new BackupError(
      'The database of PostgreSQL holds an appliance already: name an empty one (--postgres-url-file).',
    )
  const [first] = await occupantsOf({ postgresUrl })
  if (first !== undefined)
    throw new BackupError(
      `The database of PostgreSQL is not empty, it has ${first}: name an empty one (--postgres-url-file).`,
    )
}

const hashOfUrl = (url: string): string => hash('sha256', url)

/**
 * Moves all files but the configuration file to their places, after it has written the list of them to `placingFile`.
 */
export async function placeAll(
  folder: string,
  { file, config, token }: RestoredConfiguration,
  placements: readonly Placement[],
  kept: KeptFiles,
): Promise<void> {
  // An existing file is an identical certificate: `checkEmpty` has refused all others.
  const moving = placements.filter(({ to }) => !existsSync(to) || isFolder(to))
  const urlFile = kept['store.postgresUrlFile'] ?? config.store.postgresUrlFile
  const postgres = urlFile === undefined ? undefined : hashOfUrl(readSecret(urlFile))
  const placing: Placing = {
    configuration: file,
    paths: moving.map(({ to }) => to),
    ...(postgres !== undefined && { postgres }),
  }
  writeWhole(join(folder, placingFile), JSON.stringify(placing), 0o600)
  if (config.hsm.softhsmConf !== undefined && token !== undefined) rewriteSoftHsm(folder, token)
  for (const placement of moving) place(placement)
  if (postgres !== undefined) await fillPostgres(folder, config)
}

function rewriteSoftHsm(folder: string, token: string): void {
  const path = join(folder, entryFolders.configuration, 'hsm.softhsmConf')
  if (existsSync(path)) writeFileSync(path, withTokenFolder(readFileSync(path, 'utf8'), token))
}

async function fillPostgres(folder: string, config: RestoredConfiguration['config']): Promise<void> {
  const location = storeLocation(config)
  if (!('postgresUrl' in location)) return
  const parts = join(folder, entryFolders.dump)
  const archive = join(folder, 'archive')
  for (const name of readdirSync(parts).toSorted())
    writeFileSync(archive, readFileSync(join(parts, name)), { flag: 'a', mode: 0o600 })
  await restoreDump(location.postgresUrl, archive)
}
