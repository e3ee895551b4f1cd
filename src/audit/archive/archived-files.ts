import { open, readFile, rename, rm, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errorCodeOf } from '../../fault.ts'
import { syncFolder } from '../../folder-sync.ts'
import type { SealVerifier } from '../seal.ts'
import {
  isProven,
  manifestLine,
  parseManifest,
  type ArchiveManifest,
  type ArchiveStatement,
} from './archive-manifest.ts'

/** Beside the trail: the manifest of each bundle that files of it were taken into. */
export const archivesFile = 'audit-archives.jsonl'

/** Where bundles go unless the operator says otherwise. */
export const archiveFolder = (directory: string): string => join(directory, 'archive')

/** All that was archived, as the lines beside the trail say, which are not checked. */
export async function listArchived(directory: string): Promise<ArchiveStatement[]> {
  return (await linesOf(directory)).flatMap((line) => parseManifest(line)?.archive ?? [])
}

/** Of each chain what was archived furthest. Lines that no seal proves are left out: what they would allow is then missed. */
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

/** On the disk when it resolves. In one go: after a crash the line is there or not. */
export async function addArchived(directory: string, manifest: ArchiveManifest): Promise<void> {
  const lines = await linesOf(directory)
  await replaceFile(join(directory, archivesFile), (file) =>
    file.appendFile([...lines.map((line) => `${line}\n`), manifestLine(manifest)].join('')),
  )
}

/**
 * The file has its name once all of it is on the disk. Where it cannot be written, as on a full disk, nothing of it is
 * left: the trail needs the room.
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
  const text = await readFile(join(directory, archivesFile), 'utf8').catch((error: unknown) => {
    if (errorCodeOf(error) === 'ENOENT') return ''
    throw error
  })
  return text.split('\n').filter((line) => line !== '')
}
