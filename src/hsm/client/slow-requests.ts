import { decodeRecord } from '../key-record.ts'

/** User and key of a request that occupies its host for long. */
export interface SlowTurn {
  readonly user: string
  readonly key: string
}

/**
 * User and key of an RSA signature; undefined for all other requests. With 4096 bits it takes SoftHSM2 7 ms, a hundred
 * times as long as a decryption.
 */
export function slowTurnOf(operation: string, fields: readonly Uint8Array[]): SlowTurn | undefined {
  const [record, seal, , , grant] = fields
  if (operation !== 'sign' || record === undefined || seal === undefined) return undefined
  // The first field of a key's record is its kind, as text.
  const [kind] = decodeRecord(Buffer.from(record))
  if (kind?.toString().startsWith('srsa-') !== true) return undefined
  // In a grant, the user follows its type and the session.
  const [, , user] = decodeRecord(Buffer.from(grant ?? []))
  return { user: user?.toString('base64') ?? '', key: Buffer.from(seal).toString('base64') }
}
