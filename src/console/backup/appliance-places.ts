import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { keeperOf } from '../../config/keeper-section.ts'
import type { Config } from '../../config/schema.ts'

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
} as const

/** What a restore unpacks: beside it, in the same folder, lies what the restore itself remembers. */
export const isApplianceEntry = (name: string): boolean =>
  Object.values<string>(entryFiles).includes(name) ||
  Object.values(entryFolders).some((folder) => name.startsWith(`${folder}/`))

const tokenFolderSetting = /^\s*directories\.tokendir\s*=\s*(\S+)\s*$/m

/** Where a software token has its objects; undefined for any other token. */
export function tokenFolderOf({ hsm }: Config): string | undefined {
  if (hsm.tokenDirectory !== undefined) return hsm.tokenDirectory
  if (hsm.softhsmConf === undefined) return undefined
  return tokenFolderSetting.exec(readFileSync(hsm.softhsmConf, 'utf8'))?.[1]
}

/** The same softhsm2.conf for a token that lies elsewhere. */
export const withTokenFolder = (softhsmConf: string, folder: string): string =>
  softhsmConf.replace(tokenFolderSetting, `directories.tokendir = ${folder}`)

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
