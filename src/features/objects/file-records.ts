import { EntitySchema, In, IsNull, LessThan } from 'typeorm'
import { blob, integer, named, nullable, primary, text, time } from '../../store/columns.ts'
import { select } from '../../store/statement.ts'
import type { Reader, Tx } from '../../store/store.ts'

/** An uploaded file, which belongs to an object or will. */
export interface FileUpload {
  /** 32 hexadecimal digits. */
  readonly id: string
  readonly vaultId: number
  /** Null before an object has it, and after the object got another file. */
  readonly objectId: number | null
  readonly touchedAt: number
  /** When it was given up. No object can get it any more. */
  readonly endedAt: number | null
}

export const FileUploadTable = new EntitySchema<FileUpload>({
  name: 'FileUpload',
  tableName: 'file_uploads',
  columns: {
    id: primary(text),
    vaultId: named('vault_id', integer),
    objectId: named('object_id', nullable(integer)),
    touchedAt: named('touched_at', time),
    endedAt: named('ended_at', nullable(time)),
  },
})

export interface FileChunk {
  readonly uploadId: string
  /** Position in the file, from 0. */
  readonly index: number
  /** IV ‖ ciphertext ‖ tag, encrypted with the vault's data key. */
  readonly ciphertext: Buffer
}

export const FileChunkTable = new EntitySchema<FileChunk>({
  name: 'FileChunk',
  tableName: 'file_chunks',
  columns: {
    uploadId: named('upload_id', primary(text)),
    index: named('place', primary(integer)),
    ciphertext: named('sealed', blob),
  },
})

export async function beginUpload(tx: Tx, id: string, vaultId: number, touchedAt: number): Promise<void> {
  await tx.insert(FileUploadTable, { id, vaultId, objectId: null, touchedAt, endedAt: null })
}

/** False where the upload was given up meanwhile. */
export async function addChunks(tx: Tx, id: string, chunks: readonly FileChunk[], touchedAt: number): Promise<boolean> {
  const touched = await tx.update(FileUploadTable, { id, objectId: IsNull(), endedAt: IsNull() }, { touchedAt })
  if (touched.affected !== 1) return false
  await tx.insert(FileChunkTable, [...chunks])
  return true
}

/** Assigns the upload to an object; false where a parallel sweep has ended it. */
export async function bindUpload(tx: Tx, id: string, objectId: number): Promise<boolean> {
  return (await tx.update(FileUploadTable, { id, objectId: IsNull(), endedAt: IsNull() }, { objectId })).affected === 1
}

/** Releases the files of an object. Calls that are reading one may finish, since chunks are deleted later. */
export async function unbindUploads(tx: Tx, objectId: number, touchedAt: number): Promise<void> {
  await tx.update(FileUploadTable, { objectId }, { objectId: null, touchedAt })
}

/** The same for several objects. */
export async function unbindUploadsOfAll(tx: Tx, objectIds: readonly number[], touchedAt: number): Promise<void> {
  await tx.update(FileUploadTable, { objectId: In([...objectIds]) }, { objectId: null, touchedAt })
}

/** The same for all objects of a vault. */
export async function unbindUploadsOf(tx: Tx, vaultId: number, touchedAt: number): Promise<void> {
  const ofVault = 'object_id IN (SELECT id FROM vault_objects WHERE vault_id = :vaultId)'
  const change = tx.createQueryBuilder().update(FileUploadTable).set({ objectId: null, touchedAt })
  await change.where(ofVault, { vaultId }).execute()
}

/** Ids of uploads that belong to no object and got no chunk since `before`. */
export async function abandonedUploads(reader: Reader, before: number, most: number): Promise<string[]> {
  const found = await reader.find(FileUploadTable, {
    where: { objectId: IsNull(), touchedAt: LessThan(before) },
    order: { touchedAt: 'ASC' },
    take: most,
    select: { id: true },
  })
  return found.map((upload) => upload.id)
}

/** Ends an upload: no object can get it any more. False where an object has it, or there is none. */
export async function endUpload(tx: Tx, id: string, endedAt: number): Promise<boolean> {
  return (await tx.update(FileUploadTable, { id, objectId: IsNull() }, { endedAt })).affected === 1
}

/** Deletes the first `most` remaining chunks of an upload; resolves to how many it deleted. */
export async function removeChunks(tx: Tx, uploadId: string, most: number): Promise<number> {
  const left = await tx.find(FileChunkTable, {
    where: { uploadId },
    order: { index: 'ASC' },
    take: most,
    select: { index: true },
  })
  if (left.length > 0) await tx.delete(FileChunkTable, { uploadId, index: In(left.map(({ index }) => index)) })
  return left.length
}

export async function removeUpload(tx: Tx, id: string): Promise<void> {
  await tx.delete(FileUploadTable, { id })
}

/** The ciphertexts of consecutive chunks from an index on. */
export async function readChunks(reader: Reader, id: string, from: number, most: number): Promise<Buffer[]> {
  const rows = await select<{ sealed: Buffer }>(
    reader,
    'SELECT sealed FROM file_chunks WHERE upload_id = $1 AND place >= $2 ORDER BY place LIMIT $3',
    [id, from, most],
  )
  return rows.map((row) => row.sealed)
}
