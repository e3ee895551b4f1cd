import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { keeperOf } from '../../config/keeper-section.ts'
import type { Config } from '../../config/schema.ts'
import { tokenFolderIn } from '../softhsm-file.ts'

/** Folders of a backup. */
export const entryFolders = {
  token: 'token',
  trail: 'trail',
  configuration: 'configuration',
  dump: 'database',
} as const
/** Files of a backup. */
export const entryFiles = {
  sqlite: 'database.sqlite',
  keeper: 'keeper.sqlite',
  configuration: `${entryFolders.configuration}/strongroom.json`,
  authority: `${entryFolders.configuration}/ca.pem`,
} as const

/** What a restore unpacks: beside it, in the same folder, lies what the restore itself remembers. */
export const isApplianceEntry = (name: string): boolean =>
  Object.values<string>(entryFiles).includes(name) ||
  Object.values(entryFolders).some((folder) => name.startsWith(`${folder}/`))

/** Where the certificate of the CA that made the server's lies, if anywhere: no setting names it, and clients need it. */
export const authorityOf = ({ tls }: Config): string => join(dirname(tls.certificate), 'ca.pem')

/** Whether a file holds certificates alone: private keys come into no backup. */
export function isCertificate(path: string): boolean {
  if (!existsSync(path)) return false
  const text = readFileSync(path, 'latin1')
  return text.includes('-----BEGIN CERTIFICATE-----') && !text.includes('PRIVATE KEY')
}

/** Where a software token has its objects; undefined for any other token. */
export function tokenFolderOf({ hsm }: Config): string | undefined {
  if (hsm.tokenDirectory !== undefined) return hsm.tokenDirectory
  if (hsm.softhsmConf === undefined) return undefined
  return tokenFolderIn(readFileSync(hsm.softhsmConf, 'utf8'))
}

/** The folders that daemon, keeper and token hosts write to: they are theirs, and no other user reads them. */
export function foldersOf(config: Config): Readonly<Record<string, string>> {
  const token = tokenFolderOf(config)
  return {
    trail: config.audit.directory,
    keeper: dirname(keeperOf(config).state),
    ...(config.store.sqlite !== undefined && { database: dirname(config.store.sqlite) }),
    ...(token !== undefined && { token }),
  }
}
