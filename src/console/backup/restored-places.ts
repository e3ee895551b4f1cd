import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { BackupError } from '../../backup/backup-error.ts'
import type { Place } from '../../backup/manifest.ts'
import type { TarHead } from '../../backup/tar.ts'
import { errorCodeOf } from '../../fault.ts'
import { leaveToOwner } from '../file-owner.ts'
import { accountOf } from './account-names.ts'

/** An unpacked file or folder of a backup, and its target. */
export interface Placement {
  readonly from: string
  readonly to: string
  /** The folder of data that the target is in, or is, if only one user writes to it. */
  readonly holder?: { readonly path: string; readonly place: Place | undefined }
}

/** The path if the target of a placement is already in use; otherwise undefined. */
export function usedBy({ from, to, holder }: Placement): string | undefined {
  if (!existsSync(to)) return undefined
  if (isFolder(to)) return readdirSync(to).length > 0 ? to : undefined
  // An identical certificate may exist there; data is never accepted.
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

/** Moves a file or folder to its target. The holder's folder and its contents get their original owner. */
export function place({ from, to, holder }: Placement): void {
  if (!existsSync(from)) return
  mkdirSync(dirname(to), { recursive: true, mode: 0o755 })
  rmSync(to, { recursive: true, force: true })
  try {
    renameSync(from, to)
  } catch (error) {
    if (errorCodeOf(error) !== 'EXDEV') throw error
    // `-a` keeps modes and owners.
    execFileSync('cp', ['-a', from, to])
  }
  if (holder?.place === undefined) return
  belongTo(holder.path, holder.place)
  leaveToOwner(holder.path)
}

/** Writes a file completely or not at all, also where the command is killed or the disk is full. */
export function writeWhole(path: string, text: string, mode: number): void {
  const draft = `${path}.restored`
  writeFileSync(draft, text, { mode, flush: true })
  renameSync(draft, path)
}

/** Restores the mode and owner of an unpacked file. Only root can change owners. */
export function belongTo(path: string, { mode, owner, group }: Pick<TarHead, 'mode' | 'owner' | 'group'>): void {
  chmodSync(path, mode)
  if (process.getuid?.() === 0) lchownSync(path, numberOf('passwd', owner), numberOf('group', group))
}

/** @throws BackupError if this machine has no user or group of this name */
function numberOf(database: 'passwd' | 'group', name: string): number {
  const account = accountOf(database, name)
  if (account === undefined)
    throw new BackupError(
      `Files of the backup belong to ${name}, whom this machine does not have: install Strongroom first (systemd-sysusers, or useradd --system ${name}).`,
    )
  return account.id
}
