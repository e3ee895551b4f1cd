import { createWriteStream, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createAuditHeads } from '../../audit/records.ts'
import { verifyTrail } from '../../audit/trail-verification.ts'
import type { AuditReport } from '../../audit/audit-report.ts'
import { readSuccessions } from '../../audit/trail-keys.ts'
import type { SealedHead } from '../../audit/seal.ts'
import { readBackup, type ReadBackup } from '../../backup/backup-reader.ts'
import type { TarEntry } from '../../backup/tar.ts'
import { tables } from '../../daemon/tables.ts'
import { inspectStore } from '../../store/inspection.ts'
import { openStore } from '../../store/open.ts'
import { entryFiles, entryFolders } from './appliance-places.ts'
import { checkRoom, checkSigner, previewBackup } from './backup-preview.ts'

/** What a backup holds, once all that can be checked of it was. */
export interface InspectedBackup extends ReadBackup {
  readonly trail: AuditReport
  /** What SQLite's integrity check found; of PostgreSQL the hashes alone are checked. */
  readonly damage: readonly string[]
  /** Migrations that this release does not know. */
  readonly newer: readonly string[]
}

/**
 * Checks what can be checked of a backup, in a folder of the system's temporary one (TMPDIR). It is read twice: first to know what
 * may be written.
 */
export async function inspectBackup(
  file: string,
  identities: readonly string[],
  publicKey?: Buffer,
): Promise<InspectedBackup> {
  const { manifest } = await previewBackup(file, identities, publicKey)
  checkRoom(tmpdir(), { manifest }, isLookedInto)
  const folder = mkdtempSync(join(tmpdir(), 'strongroom-backup-'))
  try {
    const read = await readBackup({ file, identities, expected: manifest }, async (entry) => {
      if (isLookedInto(entry.name)) await writeEntry(entry, join(folder, entry.name))
    })
    return await inspectFolder(folder, read, publicKey)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Checks the database and the trail of a backup that lie in this folder. `publicKey`: of the audit key that is to have signed, or
 * one before or after it.
 * @throws BackupError where another one signed
 */
export async function inspectFolder(folder: string, read: ReadBackup, publicKey?: Buffer): Promise<InspectedBackup> {
  const directory = join(folder, entryFolders.trail)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const key = publicKey ?? read.signer
  checkSigner(read, key, await readSuccessions(directory))
  const sqlite = join(folder, entryFiles.sqlite)
  const store = existsSync(sqlite) ? await inspectStore({ sqlite }) : { damage: [], unknown: [] }
  const heads = existsSync(sqlite) && isReadable(store) ? await headsIn(sqlite) : undefined
  const trail = await verifyTrail({ directory, publicKey: key, ...(heads && { heads }) })
  return { ...read, trail, damage: store.damage, newer: store.unknown }
}

const isLookedInto = (name: string): boolean => name === entryFiles.sqlite || name.startsWith(`${entryFolders.trail}/`)

const isReadable = ({ damage, unknown }: { readonly damage: readonly string[]; readonly unknown: readonly string[] }) =>
  damage.length === 0 && unknown.length === 0

async function headsIn(sqlite: string): Promise<ReadonlyMap<string, SealedHead>> {
  const store = await openStore({ sqlite }, tables)
  try {
    return await createAuditHeads(store).read()
  } finally {
    await store.close()
  }
}

/** Writes an entry to a file that is not there yet, below folders that its owner alone reads. */
export async function writeEntry(entry: TarEntry, path: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  await pipeline(entry.content, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }))
}
