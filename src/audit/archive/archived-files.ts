import { open, rename, rm, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncFolder } from '../../folder-sync.ts'
import { textIfThere } from '../optional-text.ts'
import type { SealVerifier } from '../seal.ts'
import {
  isProven,
  manifestLine,
  parseManifest,
  type ArchiveManifest,
  type ArchiveStatement,
} from './archive-manifest.ts'

/** The file in the folder of the trail that lists the manifest of each bundle. */
export const archivesFile = 'audit-archives.jsonl'

/** The default folder of bundles. */
export const archiveFolder = (directory: string): string => join(directory, 'archive')

/** All archives in the list in the folder of the trail, unchecked. */
export async function listArchived(directory: string): Promise<ArchiveStatement[]> {
  return (await linesOf(directory)).flatMap((line) => parseManifest(line)?.archive ?? [])
}

/**
 * The latest archive of each chain. Archives without a valid proof are ignored, so that the records in them count as
 * missing.
 */
export async function readArchived(
  directory: string,
  verifier: SealVerifier,
): Promise<ReadonlyMap<string, ArchiveStatement>> {
  const furthest = new Map<string, ArchiveStatement>()
  for (const line of await linesOf(directory)) {
    const manifest = parseManifest(line)
    if (manifest === undefined || !isProven(manifest, verifier)) continue
    const { archive } = manifest
    if (archive.last.seq > (furthest.get(archive.chain)?.last.seq ?? 0)) furthest.set(archive.chain, archive)
  }
  return furthest
}

/**
 * Adds a manifest to the list; it is on the disk when this resolves. Atomic: after a crash the list is either old or
 * new.
 */
export async function addArchived(directory: string, manifest: ArchiveManifest): Promise<void> {
  const lines = await linesOf(directory)
  await replaceFile(join(directory, archivesFile), (file) =>
    file.appendFile([...lines.map((line) => `${line}\n`), manifestLine(manifest)].join('')),
  )
}

/**
 * Replaces a file atomically: writes a draft, syncs it, and renames it. If writing fails, for example on a full disk,
 * the draft is removed, because the trail needs the space.
 */
export async function replaceFile(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  const draft = `${path}.new`
  try {
    const file = await open(draft, 'w', 0o600)
    try {
      await write(file)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
  await syncFolder(dirname(path))
}

async function linesOf(directory: string): Promise<string[]> {
  const text = await textIfThere(join(directory, archivesFile))
  return text?.split('\n').filter((line) => line !== '') ?? []
}
