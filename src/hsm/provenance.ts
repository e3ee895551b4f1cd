import { importJobKind } from './import-limits.ts'
import { encodeRecord } from './key-record.ts'
import type { MadeKey, KeyIdentity } from './made-key.ts'
import type { OpenedRecord } from './record-layouts.ts'

/** The key in a record, and the purpose to which it must be bound. */
export interface KeyInRecord extends MadeKey {
  readonly kind: string
  readonly purpose: Buffer
}

/** Undefined for a record that holds no key. */
export function keyInRecord(record: OpenedRecord): KeyInRecord | undefined {
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

/** Identifies the holder of a key that may have only one key ever: a vault. Undefined for other records. */
export function singleKeyHolder({ type, fields }: OpenedRecord): Buffer | undefined {
  return type === 'vault key 2' ? encodeRecord([type, fields.vault]) : undefined
}

/**
 * The purpose of the key in a record. A key is sealed only in the record that it was made for. Undefined without a key.
 */
function purposeOf({ type, fields }: OpenedRecord): Buffer | undefined {
  switch (type) {
    case 'transparent key version 2':
      return versionPurpose(fields)
    case 'vault key 2':
      return vaultKeyPurpose(fields.vault)
    case 'otp':
    case 'validation client':
      return encodeRecord([type])
    default:
      return undefined
  }
}

/**
 * The purpose of a version of this key. It does not contain the number of the version, which parallel rotations know
 * only when they commit.
 */
export function versionPurpose({ identity, vault }: KeyIdentity): Buffer {
  return encodeRecord(['transparent key version 2', identity, vault])
}

/**
 * The same for imported or restored material, which its sender may know: the keeper seals it only as a version of a new
 * key (`checkProvenance`).
 */
export function receivedPurpose({ identity, vault }: KeyIdentity): Buffer {
  return encodeRecord(['transparent key version 2', identity, vault, 'received'])
}

/**
 * Greatest age of the policy of such a new key when the key is made, and of any key when its record is sealed, in
 * milliseconds: one call makes them all.
 */
export const newKeyMs = 600_000

/** The key of one vault, by its identity: keepers of machines that share a token do not know each other's vaults. */
export const vaultKeyPurpose = (vault: Buffer): Buffer => encodeRecord(['vault key 2', vault])
export const importJobPurpose = encodeRecord(['import job'])
export const otpPurpose = encodeRecord(['otp'])
export const validationClientPurpose = encodeRecord(['validation client'])

/**
 * Whether a secret that came in plain may serve this purpose. Keys that encrypt are made in the token or imported by a
 * job.
 */
export function isSecretPurpose(purpose: Buffer): boolean {
  return [Buffer.alloc(0), otpPurpose, validationClientPurpose].some((one) => one.equals(purpose))
}

/**
 * Bytes before the seal of a provenance: the time of its making, so that the keeper need not remember it for ever, and
 * random ones, so that a secret that is imported twice has two different provenances.
 */
export const nonceBytes = 16
const timeBytes = 6

/** The bytes with which a provenance of this time, in milliseconds since 1970, begins. */
export function timeOf(ms: number): Buffer {
  const time = Buffer.alloc(timeBytes)
  time.writeUIntBE(ms, 0, timeBytes)
  return time
}

/** @param random `nonceBytes` random bytes */
export function provenanceNonce(random: Buffer, now: number): Buffer {
  random.set(timeOf(now))
  return random
}

/** When a host made the key of this provenance, in milliseconds since 1970. */
export const madeAt = (provenance: Buffer): number =>
  provenance.length < timeBytes ? 0 : provenance.readUIntBE(0, timeBytes)

/**
 * The record that a host seals for a key that it has made or imported. The keeper seals no record of a key without it.
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
