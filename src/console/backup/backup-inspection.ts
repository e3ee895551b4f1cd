import { createWriteStream, existsSync, mkdirSync } from 'node:fs'
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
import { damageIn, inspectStore } from '../../store/inspection.ts'
import { openStore } from '../../store/open.ts'
import { makeTemporaryFolder } from '../temporary-folder.ts'
import { entryFiles, entryFolders } from './appliance-places.ts'
import { checkRoom, checkSigner, previewBackup } from './backup-preview.ts'

/** A backup after all checks. */
export interface InspectedBackup extends ReadBackup {
  readonly trail: AuditReport
  /** Findings of SQLite's integrity check. For PostgreSQL only the hashes are checked. */
  readonly damage: readonly string[]
  /** Migrations that this release does not know. */
  readonly newer: readonly string[]
}

/**
 * Checks a backup as far as possible, in a temporary folder (TMPDIR). Reads the backup twice, first to learn which
 * files may be written.
 */
export async function inspectBackup(
  file: string,
  identities: readonly string[],
  publicKey?: Buffer,
): Promise<InspectedBackup> {
  const { manifest } = await previewBackup(file, identities, publicKey)
  const { path: folder, discard } = await makeTemporaryFolder()
  try {
    // Once the database of a command that was killed is gone.
    checkRoom(tmpdir(), { manifest }, isLookedInto)
    const read = await readBackup({ file, identities, expected: manifest }, async (entry) => {
      if (isLookedInto(entry.name)) await writeEntry(entry, join(folder, entry.name))
    })
    return await inspectFolder(folder, read, publicKey)
  } finally {
    discard()
  }
}

/**
 * Checks the database and the trail of a backup that is unpacked in this folder. `publicKey` is the audit key that must
 * have signed the backup, or an earlier or later one of the same trail.
 * @throws BackupError if another key signed
 */
export async function inspectFolder(folder: string, read: ReadBackup, publicKey?: Buffer): Promise<InspectedBackup> {
  const directory = join(folder, entryFolders.trail)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const key = publicKey ?? read.signer
  checkSigner(read, key, await readSuccessions(directory))
  const sqlite = join(folder, entryFiles.sqlite)
  const damage = existsSync(sqlite) ? damageIn({ sqlite }) : []
  const { exists, unknown } = await inspectStore({ sqlite })
  const heads = exists && damage.length + unknown.length === 0 ? await headsIn(sqlite) : undefined
  const trail = await verifyTrail({ directory, publicKey: key, ...(heads && { heads }) })
  return { ...read, trail, damage, newer: unknown }
}

const isLookedInto = (name: string): boolean => name === entryFiles.sqlite || name.startsWith(`${entryFolders.trail}/`)

async function headsIn(sqlite: string): Promise<ReadonlyMap<string, SealedHead>> {
  const store = await openStore({ sqlite }, tables)
  try {
    return await createAuditHeads(store).read()
  } finally {
    await store.close()
  }
}

/** Writes an entry to a new file, in folders that only their owner can read. */
export async function writeEntry(entry: TarEntry, path: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  await pipeline(entry.content, createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }))
}
