import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Manifest } from '../../backup/manifest.ts'
import { BackupError } from '../../backup/backup-error.ts'
import { mapPaths, secretOptions } from '../../config/configured-paths.ts'
import { credentialPrefix, loadConfig } from '../../config/loader.ts'
import type { Config } from '../../config/schema.ts'
import { entryFiles } from './appliance-places.ts'

/** The folder from which the units in systemd/ load credentials. Console commands name it; the daemon gets copies. */
export const credentialFolder = '/etc/strongroom/credentials'

export interface RestoredConfiguration {
  /** The path of the restored configuration file. */
  readonly file: string
  /** Its content. */
  readonly text: string
  /** The configuration for this command: all paths are absolute, and credentials are where systemd loads them from. */
  readonly config: Config
  /** The folder for the objects of a software token. */
  readonly token: string | undefined
  /** A file with `config`, for the programs that this command starts. */
  readonly workingFile: string
}

/** The configuration from a backup that was unpacked in `folder`, moved below `into` if that is given. */
export function restoredConfiguration(
  folder: string,
  { places }: Pick<Manifest, 'places'>,
  into: string | undefined,
): RestoredConfiguration {
  const path = places['configuration']?.path
  if (path === undefined) throw new BackupError('The manifest of the backup names no configuration: take another one.')
  const original = readFileSync(join(folder, entryFiles.configuration), 'utf8')
  const json: UnitConfiguration = JSON.parse(original)
  const moved = mapPaths(into === undefined ? json : withoutUnits(json, places), (named, option) =>
    movedPath(named, option, dirname(path), into),
  )
  const workingFile = join(folder, 'working.json')
  writeFileSync(workingFile, JSON.stringify(moved), { mode: 0o600 })
  return {
    file: below(into, path),
    text: into === undefined ? original : `${JSON.stringify(moved, undefined, 2)}\n`,
    config: loadConfig(workingFile),
    token: places['token'] && below(into, places['token'].path),
    workingFile,
  }
}

interface UnitConfiguration {
  readonly hsm: { readonly spawn?: boolean }
  readonly processes?: Config['processes']
}

/** systemd starts no keeper and no token hosts below another folder: the daemon has to, as the users of the units, if two. */
function withoutUnits(json: UnitConfiguration, { trail, keeper }: Manifest['places']): UnitConfiguration {
  if (json.hsm.spawn !== false || trail === undefined || keeper === undefined) return json
  const users = trail.owner === keeper.owner ? {} : { processes: { workers: trail.owner, inside: keeper.owner } }
  return { ...json, hsm: { ...json.hsm, spawn: true }, ...users }
}

function movedPath(path: string, option: string, folder: string, into: string | undefined): string {
  // The module is a program of the system, and is not moved.
  if (option === 'hsm.module') return resolve(folder, path)
  const isCredential = path.startsWith(credentialPrefix)
  if (isCredential && !secretOptions.includes(option)) return path
  return below(into, isCredential ? join(credentialFolder, path.slice(credentialPrefix.length)) : resolve(folder, path))
}

const below = (into: string | undefined, path: string): string =>
  into === undefined ? path : join(resolve(into), path)
