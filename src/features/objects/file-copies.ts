import type { FileManifest, FileStore } from './file-store.ts'

/** The copies of files that one call makes, each once for all its tries: a file takes longer to copy than all else. */
export interface FileCopies extends Pick<FileStore, 'copy'> {
  /** The copy of this file, if it is made already. */
  made(manifest: FileManifest): FileManifest | undefined
  /** Leaves these copies to the objects that have them now. */
  keep(placed: Iterable<FileManifest>): void
  /** Deletes all others. */
  discard(): Promise<void>
}

export function createFileCopies(files: Pick<FileStore, 'copy' | 'discard'>): FileCopies {
  /** By the upload that was copied, whose content never changes. */
  const copies = new Map<string, FileManifest>()
  const kept = new Set<string>()
  return {
    async copy(from, manifest, to) {
      const copy = copies.get(manifest.upload) ?? (await files.copy(from, manifest, to))
      copies.set(manifest.upload, copy)
      return copy
    },
    made: ({ upload }) => copies.get(upload),
    keep(placed) {
      for (const { upload } of placed) kept.add(upload)
    },
    async discard() {
      const unused = [...copies.values()].filter(({ upload }) => !kept.has(upload))
      // Ignored, so that the caller reports the error that led here; a later sweep deletes the rest.
      for (const { upload } of unused) await files.discard(upload).catch(() => undefined)
    },
  }
}
