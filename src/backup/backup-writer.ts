import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { link, open, readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { errorCodeOf } from '../fault.ts'
import { syncFolder } from '../folder-sync.ts'
import { isLeftOver, ownIdentity } from '../process-identity.ts'
import { encryptTo } from './age-stream.ts'
import { BackupError } from './backup-error.ts'
import { backupFormat, entryNames, type Manifest } from './manifest.ts'
import { type TarEntry, writeTar } from './tar.ts'

export interface BackupPlan {
  /** The path of the new backup, which must not exist yet. */
  readonly file: string
  readonly recipients: readonly string[]
  readonly release: string
  readonly entries: AsyncIterable<TarEntry>
  /** Called with the hashes of all entries once they are written; returns the last two entries. */
  readonly close: (files: Manifest['files']) => Promise<{ readonly manifest: Buffer; readonly signature: Buffer }>
  /** Called before the backup gets its final name. */
  readonly record: () => Promise<void>
}

/**
 * Writes a backup with bounded memory. The file gets its name only once it is on the disk and was read back unchanged.
 * So an interruption leaves no partial backup under that name.
 */
export async function writeBackup(plan: BackupPlan): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const { file, recipients } = plan
  await removeLeftOver(dirname(file))
  const draft = join(dirname(file), `.${basename(file, '.age')}.age.${await ownIdentity()}.partial`)
  const handle = await naming(file, () => open(draft, 'wx', 0o600))
  try {
    const hash = createHash('sha256')
    let bytes = 0
    for await (const piece of await encryptTo(recipients, zipped(writeTar(allEntries(plan))))) {
      hash.update(piece)
      bytes += piece.length
      await naming(file, () => handle.writeFile(piece))
    }
    await naming(file, () => handle.sync())
    const sha256 = hash.digest('hex')
    if ((await hashOfFile(draft)) !== sha256)
      throw new BackupError(`What was written to ${file} does not read back as it was: look at its disk.`)
    await plan.record()
    // Unlike a rename, a link never replaces an existing file.
    await naming(file, () => link(draft, file))
    await syncFolder(dirname(file))
    return { bytes, sha256 }
  } finally {
    await handle.close()
    await rm(draft, { force: true })
  }
}

async function* allEntries({ release, entries, close }: BackupPlan): AsyncGenerator<TarEntry> {
  const files: Manifest['files'] = []
  yield hashed(fileOf(entryNames.format, Buffer.from(JSON.stringify({ format: backupFormat, release }))), files)
  for await (const entry of entries) yield hashed(entry, files)
  const { manifest, signature } = await close(files)
  yield fileOf(entryNames.manifest, manifest)
  yield fileOf(entryNames.signature, signature)
}

function hashed(entry: TarEntry, files: Manifest['files']): TarEntry {
  const hash = createHash('sha256')
  const content = async function* (): AsyncGenerator<Uint8Array> {
    for await (const piece of entry.content) {
      hash.update(piece)
      yield piece
    }
    files.push({ name: entry.name, size: entry.size, sha256: hash.digest('hex') })
  }
  return { ...entry, content: content() }
}

/** An entry whose content is in memory. */
export function fileOf(name: string, bytes: Uint8Array): TarEntry {
  const content = async function* (): AsyncGenerator<Uint8Array> {
    if (bytes.length > 0) yield await Promise.resolve(bytes)
  }
  return {
    name,
    size: bytes.length,
    mode: 0o600,
    owner: 'root',
    group: 'root',
    modifiedAt: Date.now(),
    content: content(),
  }
}

/** Compresses at the fastest level: the trail compresses well at any level, sealed rows and wrapped keys at none. */
async function* zipped(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gzip = createGzip({ level: 1, chunkSize: 256 * 1024 })
  const feeding = pipeline(source, gzip)
  // Awaited below. A failure also ends the loop that reads from `gzip`.
  feeding.catch(() => undefined)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a stream of bytes gives those
  yield* gzip as AsyncIterable<Uint8Array>
  await feeding
}

async function hashOfFile(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

const draftName = /^\..+\.age\.((?:[\da-f-]{36}\.\d+\.)?\d+(?:-in-[\da-f-]{36}\.\d+)?)\.partial$/

/** Removes drafts that killed processes left, of this release and of earlier ones. */
async function removeLeftOver(folder: string): Promise<void> {
  for (const found of await readdir(folder).catch(() => [])) {
    const [, owner] = draftName.exec(found) ?? []
    const file = join(folder, found)
    if (owner !== undefined && (await isLeftOver(file, owner))) await rm(file, { force: true })
  }
}

const sentences: Readonly<Record<string, (file: string) => string>> = {
  EEXIST: (file) => `${file} exists: name another file, because none is overwritten.`,
  ENOENT: (file) => `The folder of ${file} does not exist: make it, or name another file.`,
  ENOTDIR: (file) => `The folder of ${file} is not a folder: name another file.`,
  ENOSPC: (file) => `There is no room left on the disk of ${file}: free some, or name a file elsewhere.`,
  EDQUOT: (file) => `There is no room left on the disk of ${file}: free some, or name a file elsewhere.`,
  EACCES: (file) => `The folder of ${file} may not be written by this user: name another file, or run this as root.`,
  EPERM: (file) => `The folder of ${file} may not be written by this user: name another file, or run this as root.`,
  EROFS: (file) => `The disk of ${file} is mounted read-only: name a file elsewhere.`,
}

/** Runs `work`, and turns a system error about `file` into a BackupError with a sentence. */
export async function naming<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    const sentence = sentences[errorCodeOf(cause) ?? '']
    if (sentence === undefined) throw cause
    throw new BackupError(sentence(file), { cause })
  }
}
