import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { keeperOf } from '../../config/keeper-section.ts'
import type { Config } from '../../config/schema.ts'
import { tokenFolderIn } from '../softhsm-file.ts'

/** Folders in a backup. */
export const entryFolders = {
  token: 'token',
  trail: 'trail',
  configuration: 'configuration',
  dump: 'database',
} as const
/** Files in a backup. */
export const entryFiles = {
  sqlite: 'database.sqlite',
  keeper: 'keeper.sqlite',
  configuration: `${entryFolders.configuration}/strongroom.json`,
  authority: `${entryFolders.configuration}/ca.pem`,
} as const

/** Whether an entry may be unpacked by a restore, which keeps its own files in the same folder. */
export const isApplianceEntry = (name: string): boolean =>
  Object.values<string>(entryFiles).includes(name) ||
  Object.values(entryFolders).some((folder) => name.startsWith(`${folder}/`))

/**
 * The path of the certificate of the CA that issued the server's. No option names this file, but clients need it. It
 * may not exist.
 */
export const authorityOf = ({ tls }: Config): string => join(dirname(tls.certificate), 'ca.pem')

/** Whether a file contains certificates and no private key, which must not be in a backup. */
export function isCertificate(path: string): boolean {
  if (!existsSync(path)) return false
  const text = readFileSync(path, 'latin1')
  return text.includes('-----BEGIN CERTIFICATE-----') && !text.includes('PRIVATE KEY')
}

/** The folder with the objects of a software token; undefined for any other token. */
export function tokenFolderOf({ hsm }: Config): string | undefined {
  return hsm.tokenDirectory ?? tokenFolderIn(hsm.softhsmConf)
}

/**
 * The folders that the daemon, the keeper and the token hosts write to. Each belongs to one of their users, and no
 * other user can read it.
 */
export function foldersOf(config: Config): Readonly<Record<string, string>> {
  const token = tokenFolderOf(config)
  return {
    trail: config.audit.directory,
    keeper: dirname(keeperOf(config).state),
    ...(config.store.sqlite !== undefined && { database: dirname(config.store.sqlite) }),
    ...(token !== undefined && { token }),
  }
}
