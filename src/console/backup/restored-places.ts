import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, lchownSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { BackupError } from '../../backup/backup-error.ts'
import type { Place } from '../../backup/manifest.ts'
import type { TarHead } from '../../backup/tar.ts'
import { errorCodeOf } from '../../fault.ts'
import { leaveToOwner } from '../file-owner.ts'
import { accountOf } from './account-names.ts'

/** A file or folder of a backup that was unpacked, and where it goes. */
export interface Placement {
  readonly from: string
  readonly to: string
  /** The folder that it lies in, or is, where one user alone writes to it. */
  readonly holder?: { readonly path: string; readonly place: Place | undefined }
}

/** What lies in a place already that a backup is to be restored to; undefined for nothing. */
export function usedBy({ from, to, holder }: Placement): string | undefined {
  if (!existsSync(to)) return undefined
  if (isFolder(to)) return readdirSync(to).length > 0 ? to : undefined
  // The same certificate may have been put there; data never is the same.
  if (holder !== undefined || !existsSync(from)) return to
  return readFileSync(to).equals(readFileSync(from)) ? undefined : to
}

export const isFolder = (path: string): boolean => {
  try {
    readdirSync(path)
    return true
  } catch (error) {
    if (errorCodeOf(error) === 'ENOTDIR') return false
    throw error
  }
}

/** Moves it there; the folder that holds it, and all in it, belongs to whom it belonged. */
export function place({ from, to, holder }: Placement): void {
  if (!existsSync(from)) return
  mkdirSync(dirname(to), { recursive: true, mode: 0o755 })
  rmSync(to, { recursive: true, force: true })
  try {
    renameSync(from, to)
  } catch (error) {
    if (errorCodeOf(error) !== 'EXDEV') throw error
    // With modes and owners.
    execFileSync('cp', ['-a', from, to])
  }
  if (holder?.place === undefined) return
  belongTo(holder.path, holder.place)
  leaveToOwner(holder.path)
}

/** Gives an unpacked file the mode and owner that it had. Only root can give files away. */
export function belongTo(path: string, { mode, owner, group }: Pick<TarHead, 'mode' | 'owner' | 'group'>): void {
  chmodSync(path, mode)
  if (process.getuid?.() === 0) lchownSync(path, numberOf('passwd', owner), numberOf('group', group))
}

/** @throws BackupError where this machine has no user or group of this name */
function numberOf(database: 'passwd' | 'group', name: string): number {
  const account = accountOf(database, name)
  if (account === undefined)
    throw new BackupError(
      `Files of the backup belong to ${name}, whom this machine does not have: install Strongroom first (systemd-sysusers, or useradd --system ${name}).`,
    )
  return account.id
}
