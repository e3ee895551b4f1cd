import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { BackupError } from '../../backup/backup-error.ts'
import type { Config } from '../../config/schema.ts'
import type { TokenStatus } from '../../hsm/token-status.ts'
import { isSamePlace, tokenFolderIn } from '../softhsm-file.ts'
import { tokenFolderOf } from './appliance-places.ts'

/**
 * Whether the backup will contain the token: the copied folder must be the one that the module uses, and must contain
 * the token. An older copy of the folder has a token with the same serial number, so softhsm2.conf is checked first.
 * @throws BackupError
 */
export function holdsToken(config: Config, token: Pick<TokenStatus, 'label' | 'serial' | 'manufacturer'>): boolean {
  const folder = tokenFolderOf(config)
  if (folder === undefined) return false
  const { softhsmConf, tokenDirectory } = config.hsm
  const used = tokenFolderIn(softhsmConf)
  if (used !== undefined && !isSamePlace(used, folder))
    throw new BackupError(
      `${softhsmConf} (hsm.softhsmConf) has SoftHSM2 use the tokens in ${used}, and not those in ${folder} (hsm.tokenDirectory), which a backup would hold: correct hsm.tokenDirectory, or that file.`,
    )
  if (!isIn(folder, token))
    throw new BackupError(
      `The token ${token.label}, serial ${token.serial}, is not in ${folder} (${tokenDirectory === undefined ? 'hsm.softhsmConf' : 'hsm.tokenDirectory'}), so a backup would not hold it: name the folder in which the module keeps its objects, or for a token in hardware none.`,
    )
  return true
}

function isIn(folder: string, { serial, manufacturer }: Pick<TokenStatus, 'serial' | 'manufacturer'>): boolean {
  const inside = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []
  // For other software tokens only this is known: their folder is not empty.
  if (!manufacturer.startsWith('SoftHSM')) return inside.length > 0
  // SoftHSM2 names a token's folder by a UUID whose last 16 digits are the serial number, and keeps the token's own
  // data in it.
  return inside.some(
    (entry) =>
      entry.isDirectory() &&
      entry.name.replaceAll('-', '').endsWith(serial) &&
      ['token.object', 'sqlite3.db'].some((name) => existsSync(join(folder, entry.name, name))),
  )
}
