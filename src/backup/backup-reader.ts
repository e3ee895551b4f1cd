import { createHash, createPublicKey, hash as hashOf, verify } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { readBounded } from '../bounded-reading.ts'
import { decryptWith } from './age-stream.ts'
import { BackupError } from './backup-error.ts'
import {
  checkFormat,
  entryNames,
  hashOfManifest,
  type Manifest,
  type ManifestSignature,
  readManifest,
  readSignature,
} from './manifest.ts'
import { readTar, type TarEntry } from './tar.ts'

/** A backup whose files match its manifest and whose signature covers that manifest. */
export interface ReadBackup {
  readonly manifest: Manifest
  /** The signed text: the time of signing, the key's id and the manifest's hash. */
  readonly signed: { readonly at: number; readonly key: string; readonly manifest: string }
  /** The audit key that signed, as DER SubjectPublicKeyInfo. The caller must check whose key it is. */
  readonly signer: Buffer
}

const mostControlBytes = 256 * 1024 * 1024
/** The manifest is limited to 256 MiB, which is enough for no more entries than this. */
const mostEntries = 2_000_000

export interface BackupSource {
  readonly file: string
  readonly identities: readonly string[]
  /** A trusted manifest. A file that it does not list, or lists with another size, is refused. */
  readonly expected?: Manifest
}

/**
 * Reads a backup to its end and passes each file to `receive`. Until this resolves, the content must not be trusted,
 * not even its size: a megabyte may decompress to a thousand.
 */
export async function readBackup(
  { file, identities, expected }: BackupSource,
  receive: (entry: TarEntry) => Promise<void>,
): Promise<ReadBackup> {
  const seen = new Map<string, { readonly size: number; readonly sha256: string }>()
  const control = new Map<string, Buffer>()
  const sizes = expected && new Map(expected.files.map(({ name, size }) => [name, size]))
  try {
    for await (const entry of readTar(unzipped(decryptWith(identities, createReadStream(file))))) {
      if (seen.size === 0 && entry.name !== entryNames.format)
        throw new BackupError(`${file} is not a backup of Strongroom.`)
      checkName(entry.name, seen)
      if (seen.size === mostEntries) throw new BackupError('The backup has no end: take another one.')
      const hash = createHash('sha256')
      const isControl = Object.values<string>(entryNames).includes(entry.name)
      const content = watched(entry, hash)
      if (isControl)
        control.set(entry.name, await whole(content, mostControlBytes, 'The manifest of the backup has no end'))
      else if (sizes !== undefined && sizes.get(entry.name) !== entry.size) throw notListed(entry.name)
      else await receive({ ...entry, content })
      // Read what the receiver did not, so that it is hashed too.
      for await (const _ of content);
      if (entry.name === entryNames.format) checkFormat(control.get(entry.name) ?? Buffer.alloc(0))
      seen.set(entry.name, { size: entry.size, sha256: hash.digest('hex') })
    }
  } catch (cause) {
    throw readable(file, cause)
  }
  return checked(seen, control)
}

/** Refuses names that lead out of the target folder: anyone who knows a recipient can encrypt any archive. */
function checkName(name: string, seen: ReadonlyMap<string, unknown>): void {
  if (seen.has(name)) throw new BackupError(`${name} is in the backup twice: take another one.`)
  if (name.split('/').some((part) => ['', '.', '..'].includes(part)))
    throw new BackupError(`${name} is not a name of a file in a backup: take another one.`)
}

const notListed = (name: string): BackupError =>
  new BackupError(`${name} in the backup is not what its manifest says: take another backup.`)

function checked(
  seen: ReadonlyMap<string, { readonly size: number; readonly sha256: string }>,
  control: ReadonlyMap<string, Buffer>,
): ReadBackup {
  const bytes = control.get(entryNames.manifest) ?? Buffer.alloc(0)
  const manifest = readManifest(bytes)
  const signature = readSignature(control.get(entryNames.signature) ?? Buffer.alloc(0))
  const listed = new Map(manifest.files.map((one) => [one.name, one]))
  for (const [name, { size, sha256 }] of seen) {
    if (name === entryNames.manifest || name === entryNames.signature) continue
    const known = listed.get(name)
    if (known?.size !== size || known.sha256 !== sha256) throw notListed(name)
  }
  const missing = manifest.files.find(({ name }) => !seen.has(name))
  if (missing !== undefined) throw new BackupError(`${missing.name} is missing in the backup: take another one.`)
  const signer = Buffer.from(signature.signer, 'base64')
  const signed = signedBy(signer, signature)
  if (signed?.backup !== 1 || signed.manifest !== hashOfManifest(bytes))
    throw new BackupError('The signature of the backup is not over its manifest: it was altered. Take another one.')
  return { manifest, signed, signer }
}

/** The signed text if this key signed it; otherwise, or if `signer` is not a key, undefined. */
function signedBy(
  signer: Buffer,
  { text, signature }: ManifestSignature,
): (ReadBackup['signed'] & { readonly backup?: unknown }) | undefined {
  try {
    const key = createPublicKey({ key: signer, format: 'der', type: 'spki' })
    const given = Buffer.from(signature, 'base64')
    const isSigned = verify('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, given)
    return isSigned ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}

/** The id of a key in the journal, in seals and in `audit verify`: the first 16 hex digits of its SHA-256. */
export const shortKey = (signer: Buffer): string => hashOf('sha256', signer, 'hex').slice(0, 16)

async function* watched(entry: TarEntry, hash: ReturnType<typeof createHash>): AsyncGenerator<Uint8Array> {
  for await (const piece of entry.content) {
    hash.update(piece)
    yield piece
  }
}

/** Reads a whole stream into memory. @throws BackupError with this complaint if it has more than `mostBytes` bytes */
export const whole = (content: AsyncIterable<Uint8Array>, mostBytes: number, complaint: string): Promise<Buffer> =>
  readBounded(content, mostBytes, () => new BackupError(`${complaint}: take another one.`))

async function* unzipped(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip()
  const feeding = pipeline(source, gunzip)
  feeding.catch(() => undefined)
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a stream of bytes gives those
    yield* gunzip as AsyncIterable<Uint8Array>
  } catch (error) {
    // The source's own error says more than that the stream ended.
    await feeding
    throw error
  }
  await feeding
}

function readable(file: string, cause: unknown): unknown {
  if (cause instanceof BackupError || !(cause instanceof Error)) return cause
  const code = 'code' in cause ? String(cause.code) : ''
  if (code === 'ENOENT') return new BackupError(`${file} does not exist: name another file.`, { cause })
  if (code === 'EISDIR') return new BackupError(`${file} is a folder: name the file of a backup.`, { cause })
  if (code === 'EACCES') return new BackupError(`${file} cannot be read by this user.`, { cause })
  if (code === 'ENOSPC')
    return new BackupError('There is no room left on the disk that the backup is read to: free some.', { cause })
  if (code.startsWith('Z_') || code === 'ERR_STREAM_PREMATURE_CLOSE')
    return new BackupError('The backup is damaged inside: take another one.', { cause })
  return cause
}
