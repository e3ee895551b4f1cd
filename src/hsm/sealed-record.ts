import { hash } from 'node:crypto'

/** The canonical bytes of a record (`record-layouts.ts`) and their HMAC by the token's seal key. */
export interface SealedRecord {
  readonly record: Buffer
  /** 32 bytes. */
  readonly seal: Buffer
}

/** SHA-256 (32 bytes), which distinguishes a record from all others that were sealed in place of the same one. */
export const recordDigest = (record: Uint8Array): Buffer => hash('sha256', record, 'buffer')
