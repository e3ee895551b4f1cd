import { createHash, randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../clock.ts'
import { Fault, isFault } from '../../fault.ts'
import { resultOf } from '../../hsm/batch-outcomes.ts'
import type { Hsm, Outcome } from '../../hsm/hsm.ts'
import { chunkAad } from '../../hsm/object-aad.ts'
import type { Store } from '../../store/store.ts'
import { createUserTurns } from '../../user-turns.ts'
import { findVault } from '../vaults/records.ts'
import { spendKeyUses, vaultKeyReference } from '../vaults/vault-key.ts'
import {
  abandonedUploads,
  addChunks,
  beginUpload,
  endUpload,
  readChunks,
  removeChunks,
  removeUpload,
} from './file-records.ts'
import type { GrantedVault } from './read-records.ts'

/**
 * The encrypted description of an object's file. It alone determines which chunks make up the file, so that none can be
 * left out or exchanged.
 */
export interface FileManifest {
  readonly upload: string
  /** In bytes. */
  readonly size: number
  /** Hexadecimal digits. */
  readonly sha256: string
  readonly chunks: number
}

export interface StoredFile {
  readonly manifest: FileManifest
  /** Its first bytes, at most 64, from which the type is detected. */
  readonly start: Buffer
}

/**
 * Files in chunks. Each chunk is encrypted in the token with the data key of its vault as it arrives, so that a file is
 * never completely in memory.
 */
export interface FileStore {
  /**
   * Stores a file of this user that stays invisible until an object has it.
   * @throws what `content` throws; then the chunks stored so far are deleted
   */
  store(vault: GrantedVault, content: AsyncIterable<Buffer>, userId: number): Promise<StoredFile>
  /** The chunks of a file in order. @throws Fault `object.tampered` at the first chunk that was changed or exchanged */
  read(vault: GrantedVault, manifest: FileManifest): AsyncGenerator<Buffer>
  /**
   * Encrypts a file again in the token for another object, as an upload that belongs to no object yet. Where it throws,
   * the copy is deleted, as with `store`.
   * @throws Fault `object.tampered`
   */
  copy(from: GrantedVault, manifest: FileManifest, to: GrantedVault): Promise<FileManifest>
  /** Deletes an upload that belongs to no object. */
  discard(uploadId: string): Promise<void>
  /** Deletes uploads that belong to no object and got no chunk for an hour; resolves to how many. */
  sweep(): Promise<number>
}

/** Chunks per frame to the token and per transaction. */
const batchChunks = 4
/**
 * Files of one user of which chunks are being stored at once. Each takes a connection to PostgreSQL, of which a worker
 * has eight, even while it waits for the vault's row; in SQLite they share commits.
 */
const filesAtOnce = { postgres: 2, sqlite: 8 } as const
const startBytes = 64
const removedAtOnce = 64
const sweptAtOnce = 100
const abandonedAfterMs = 3_600_000

export interface FileStoreDependencies {
  readonly store: Store
  readonly hsm: Pick<Hsm, 'encryptMany' | 'decryptMany' | 'rewrapMany'>
  readonly clock: Clock
}

export function createFileStore({ store, hsm, clock }: FileStoreDependencies): FileStore {
  const turns = createUserTurns(filesAtOnce[store.dialect])

  /** Encrypts chunks and stores them in a transaction of their own. */
  async function write({ vault, upload, userId }: OwnUpload, chunks: readonly Chunk[]): Promise<void> {
    // Asked for per batch, because a slow upload outlasts a grant.
    const key = await vaultKeyReference(vault)
    const outcomes = await hsm.encryptMany(
      chunks.map((chunk) => ({ key, plaintext: chunk.bytes, aad: chunkAad(vault.id, upload, chunk) })),
    )
    // The vault, and with it the key, may be deleted at any time, also while the token uses it.
    const isFailed = outcomes.some((outcome) => 'fault' in outcome)
    if (isFailed && (await findVault(store.read, vault.id)) === null) throw new Fault('vault.not_found')
    const ciphertexts = outcomes.map(resultOf)
    await turns(userId, () => keepChunks({ store, clock }, { vault, upload }, chunks[0]?.index ?? 0, ciphertexts))
  }

  async function discard(uploadId: string): Promise<void> {
    if (!(await store.transaction((tx) => endUpload(tx, uploadId, clock.now())))) return
    // In several transactions, since a large file would otherwise block all writers.
    while ((await store.transaction((tx) => removeChunks(tx, uploadId, removedAtOnce))) > 0);
    await store.transaction((tx) => removeUpload(tx, uploadId))
  }

  return {
    async store(vault, content, userId) {
      const upload = newUploadId()
      const hash = createHash('sha256')
      let start: Buffer | undefined
      let size = 0
      let count = 0
      try {
        for await (const batch of inBatches(inChunks(content), batchChunks)) {
          for (const { bytes } of batch) {
            start ??= Buffer.from(bytes.subarray(0, startBytes))
            hash.update(bytes)
            size += bytes.length
          }
          count += batch.length
          await write({ vault, upload, userId }, batch)
        }
        if (start === undefined)
          throw new Fault('object.invalid', 'The file is empty, and an empty file is not stored: choose another one.')
        return { manifest: { upload, size, sha256: hash.digest('hex'), chunks: count }, start }
      } catch (error) {
        // Ignored, so that the caller reports the error that led here; a later sweep deletes the rest.
        await discard(upload).catch(() => undefined)
        throw error
      }
    },

    async copy(from, manifest, vault) {
      const upload = newUploadId()
      try {
        for (let first = 0; first < manifest.chunks; first += batchChunks)
          await transcribe({ store, hsm, clock }, { from, manifest, first }, { vault, upload })
        return { ...manifest, upload }
      } catch (error) {
        await discard(upload).catch(() => undefined)
        throw error
      }
    },

    read: (vault, manifest) => readFile(store, hsm, vault, manifest),
    discard,

    async sweep() {
      const abandoned = await abandonedUploads(store.read, clock.now() - abandonedAfterMs, sweptAtOnce)
      for (const upload of abandoned) await discard(upload)
      return abandoned.length
    },
  }
}

const newUploadId = (): string => randomBytes(16).toString('hex')

/** The upload that chunks are written to. */
interface UploadTarget {
  readonly vault: GrantedVault
  readonly upload: string
}

interface OwnUpload extends UploadTarget {
  readonly userId: number
}

/** Stores consecutive chunks in a transaction of its own. */
async function keepChunks(
  { store, clock }: Pick<FileStoreDependencies, 'store' | 'clock'>,
  { vault, upload }: UploadTarget,
  first: number,
  ciphertexts: readonly Buffer[],
): Promise<void> {
  const rows = ciphertexts.map((ciphertext, at) => ({ uploadId: upload, index: first + at, ciphertext }))
  await store.transaction(async (tx) => {
    const now = clock.now()
    await spendKeyUses(tx, vault.id, rows.length)
    if (first === 0) await beginUpload(tx, upload, vault.id, now)
    if (!(await addChunks(tx, upload, rows, now))) throw uploadGivenUp()
  })
}

interface FilePart {
  readonly from: GrantedVault
  readonly manifest: FileManifest
  /** The index of its first chunk. */
  readonly first: number
}

/** Encrypts a part of a file again, bound to another upload, under the key of the same or another vault. */
async function transcribe(on: FileStoreDependencies, { from, manifest, first }: FilePart, to: UploadTarget) {
  const { upload, chunks } = manifest
  const most = Math.min(batchChunks, chunks - first)
  const stored = await readChunks(on.store.read, upload, first, most)
  if (stored.length < most) throw tampered('chunks are missing')
  const [fromKey, toKey] = [await vaultKeyReference(from), await vaultKeyReference(to.vault)]
  const outcomes = await on.hsm.rewrapMany(
    stored.map((ciphertext, at) => {
      const position = { index: first + at, isLast: first + at === chunks - 1 }
      const [aad, newAad] = [chunkAad(from.id, upload, position), chunkAad(to.vault.id, to.upload, position)]
      return { from: fromKey, to: toKey, ciphertext, aad, newAad }
    }),
  )
  await keepChunks(on, to, first, outcomes.map(openedChunk))
}

async function* readFile(
  store: Store,
  hsm: FileStoreDependencies['hsm'],
  vault: GrantedVault,
  { upload, size, sha256, chunks }: FileManifest,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  let bytes = 0
  for (let from = 0; from < chunks; from += batchChunks) {
    const stored = await readChunks(store.read, upload, from, Math.min(batchChunks, chunks - from))
    const key = await vaultKeyReference(vault)
    const outcomes = await hsm.decryptMany(
      stored.map((ciphertext, at) => {
        const index = from + at
        return { key, ciphertext, aad: chunkAad(vault.id, upload, { index, isLast: index === chunks - 1 }) }
      }),
    )
    for (const outcome of outcomes) {
      const chunk = openedChunk(outcome)
      hash.update(chunk)
      bytes += chunk.length
      yield chunk
    }
  }
  if (!isDeepStrictEqual([bytes, hash.digest('hex')], [size, sha256])) throw tampered('chunks are missing')
}

/** @throws Fault `object.tampered` for a chunk that the token could not decrypt; its own fault for any other */
function openedChunk(outcome: Outcome): Buffer {
  if ('result' in outcome) return outcome.result
  throw isFault(outcome.fault, 'hsm.rejected') ? tampered(outcome.fault) : outcome.fault
}

function tampered(cause: unknown): Fault {
  return new Fault(
    'object.tampered',
    'The file is not as the appliance wrote it, and is not handed out. Tell the operator.',
    { cause },
  )
}

export function uploadGivenUp(): Fault {
  return new Fault('object.invalid', 'The upload took so long that it was given up: send the file again.')
}

/** A multiple of 3, so that the base64 texts of the chunks, joined, are the base64 text of the file. */
const chunkBytes = 192 * 1024

interface Chunk {
  readonly bytes: Buffer
  readonly index: number
  readonly isLast: boolean
}

/**
 * Splits the content into chunks. All but the last are full, and a chunk is known to be the last only at the end. Each
 * batch reuses the memory of the one before, because V8 marks the whole heap after every 64 MiB of new buffers.
 */
async function* inChunks(content: AsyncIterable<Buffer>): AsyncGenerator<Chunk> {
  const memory: Buffer[] = []
  const memoryOf = (at: number): Buffer => (memory[at % batchChunks] ??= Buffer.allocUnsafeSlow(chunkBytes))
  let index = 0
  let filling = memoryOf(0)
  let filled = 0
  for await (const piece of content) {
    for (let at = 0; at < piece.length;) {
      if (filled === chunkBytes) {
        yield { bytes: filling, index: index++, isLast: false }
        filling = memoryOf(index)
        filled = 0
      }
      const copied = piece.copy(filling, filled, at)
      filled += copied
      at += copied
    }
  }
  if (filled > 0) yield { bytes: filling.subarray(0, filled), index, isLast: true }
}

/** Groups chunks that go through the token and into the database together. */
async function* inBatches(chunks: AsyncIterable<Chunk>, batchChunks: number): AsyncGenerator<Chunk[]> {
  let batch: Chunk[] = []
  for await (const chunk of chunks) {
    batch.push(chunk)
    if (batch.length < batchChunks) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
