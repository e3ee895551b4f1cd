import { importJobKind } from './import-limits.ts'
import { encodeRecord } from './key-record.ts'
import type { MadeKey, PlacedKey } from './made-key.ts'
import type { OpenedRecord } from './record-layouts.ts'

/** A key that a record holds, and what it was made for. */
export interface HeldKey extends MadeKey {
  readonly kind: string
  readonly purpose: Buffer
}

/** Undefined for a record that holds no key. */
export function heldKey(record: OpenedRecord): HeldKey | undefined {
  const { type, key, fields } = record
  if (type === 'import job') {
    const { kek, blob, publicKey } = fields
    return { kind: importJobKind, kek, blob, publicKey, purpose: importJobPurpose }
  }
  const purpose = purposeOf(record)
  if (key === undefined || purpose === undefined) return undefined
  const { backupKek, backupBlob } = { backupKek: null, backupBlob: null, ...fields }
  const backup = backupKek === null || backupBlob === null ? undefined : { kek: backupKek, blob: backupBlob }
  return Object.assign({}, key, { backup, purpose })
}

/** What can hold one key in all its time: a vault. */
export function onlyPlace({ type, fields }: OpenedRecord): Buffer | undefined {
  return type === 'vault key 2' ? encodeRecord([type, fields.vault]) : undefined
}

/** As the record that will hold the key says it: a key that was made for one place is sealed in no other. */
function purposeOf({ type, fields }: OpenedRecord): Buffer | undefined {
  switch (type) {
    case 'transparent key version 2':
      return placedPurpose(fields)
    case 'vault key 2':
    case 'otp':
    case 'validation client':
      return encodeRecord([type])
    default:
      return undefined
  }
}

/** Of any version of a key. Not by the version's number, which parallel rotations learn only when they commit. */
export function placedPurpose({ identity, vault }: PlacedKey): Buffer {
  return encodeRecord(['transparent key version 2', identity, vault])
}

/**
 * The same for material that came from outside, which its sender may know: the keeper seals it only as a version of a new
 * key (`checkProvenance`).
 */
export function receivedPurpose({ identity, vault }: PlacedKey): Buffer {
  return encodeRecord(['transparent key version 2', identity, vault, 'received'])
}

/** How long ago the policy may be made of a key that is made of such material; it is made in the same request. */
export const newKeyMs = 600_000

export const vaultKeyPurpose = encodeRecord(['vault key 2'])
export const importJobPurpose = encodeRecord(['import job'])
export const otpPurpose = encodeRecord(['otp'])
export const validationClientPurpose = encodeRecord(['validation client'])

/** Whether a secret that came in plain may be for this: what encrypts is made in the token, or comes by a job. */
export function isSecretPurpose(purpose: Buffer): boolean {
  return [Buffer.alloc(0), otpPurpose, validationClientPurpose].some((one) => one.equals(purpose))
}

/** Random bytes before the seal of a provenance: the same secret that is taken in twice has two of them. */
export const nonceBytes = 16

/**
 * What a host seals of a key that it has made or taken in, with a nonce. The keeper seals no record of a key without
 * it.
 */
export function provenanceRecord(nonce: Uint8Array, purpose: Uint8Array, kind: string, key: MadeKey): Buffer {
  const { kek, blob, publicKey, backup } = key
  return encodeRecord([
    'made key',
    nonce,
    purpose,
    kind,
    kek,
    blob,
    publicKey ?? null,
    backup?.kek ?? null,
    backup?.blob ?? null,
  ])
}
