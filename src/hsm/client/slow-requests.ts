import { decodeRecord } from '../key-record.ts'

/**
 * By which key a request keeps its host busy for long: signatures by RSA, which take SoftHSM2 7 ms with 4096 bits, a
 * hundred times as long as a decryption. Undefined for all others.
 */
export function slowKeyOf(operation: string, [record, seal]: readonly Uint8Array[]): string | undefined {
  if (operation !== 'sign' || record === undefined || seal === undefined) return undefined
  // The first field of a key's record is its kind, as text.
  const [kind] = decodeRecord(Buffer.from(record))
  return kind?.toString().startsWith('srsa-') === true ? Buffer.from(seal).toString('base64') : undefined
}
