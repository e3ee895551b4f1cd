import { decodeRecord } from '../key-record.ts'

/** Whose request keeps its host busy for long, and with which key. */
export interface SlowTurn {
  readonly user: string
  readonly key: string
}

/**
 * Of signatures by RSA, which take SoftHSM2 7 ms with 4096 bits, a hundred times as long as a decryption. Undefined for
 * all other requests.
 */
export function slowTurnOf(operation: string, fields: readonly Uint8Array[]): SlowTurn | undefined {
  const [record, seal, , , grant] = fields
  if (operation !== 'sign' || record === undefined || seal === undefined) return undefined
  // The first field of a key's record is its kind, as text.
  const [kind] = decodeRecord(Buffer.from(record))
  if (kind?.toString().startsWith('srsa-') !== true) return undefined
  // The grant names the user behind its type and the session.
  const [, , user] = decodeRecord(Buffer.from(grant ?? []))
  return { user: user?.toString('base64') ?? '', key: Buffer.from(seal).toString('base64') }
}
