import { recordDigest } from './sealed-record.ts'

// The second factors in the sealed record of a user: a list of SHA-256 digests (32 bytes each) of the sealed records of
// devices, certificates and passkeys. One that is sealed for a user, but not in this list, is not a factor of the user.

const nameBytes = 32
/** More than any user can have: 5 code devices, 3 hardware tokens, a certificate and 5 passkeys. */
const mostFactors = 16

/** The digests in the list. */
export function namesIn(factors: Buffer): Buffer[] {
  return Array.from({ length: Math.ceil(factors.length / nameBytes) }, (_, at) =>
    factors.subarray(at * nameBytes, (at + 1) * nameBytes),
  )
}

const has = (names: readonly Buffer[], name: Buffer): boolean => names.some((one) => one.equals(name))

/** Whether the bytes have the form of such a list. */
export const areFactors = (factors: Buffer): boolean =>
  factors.length % nameBytes === 0 && factors.length <= mostFactors * nameBytes

/** @param record the sealed record of a device, a certificate or a passkey */
export const hasFactor = (factors: Buffer, record: Uint8Array): boolean => has(namesIn(factors), recordDigest(record))

export const withFactor = (factors: Buffer, record: Uint8Array): Buffer =>
  hasFactor(factors, record) ? factors : Buffer.concat([factors, recordDigest(record)])

export function withoutFactor(factors: Buffer, record: Uint8Array): Buffer {
  const name = recordDigest(record)
  return Buffer.concat(namesIn(factors).filter((one) => !one.equals(name)))
}

/** Whether exactly one factor was added, or one was removed with others left. */
export function isOneStep(after: Buffer, before: Buffer): boolean {
  const [names, known] = [namesIn(after), namesIn(before)]
  const come = names.filter((name) => !has(known, name)).length
  const gone = known.filter((name) => !has(names, name)).length
  return come + gone === 1 && names.length === known.length + come - gone && names.length > 0
}

/** Whether `after` has a factor that `before` lacks. */
export function gainsFactor(after: Buffer, before: Buffer): boolean {
  const known = namesIn(before)
  return namesIn(after).some((name) => !has(known, name))
}
