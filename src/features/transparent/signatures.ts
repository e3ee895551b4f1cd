import { hash } from 'node:crypto'
import type { Granted } from '../../access/caller.ts'
import { derTag, readElements, readOnly } from '../../encoding/der.ts'
import { Fault, isFault } from '../../fault.ts'
import type { Hash, Padding } from '../../hsm/key-kind.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { Store } from '../../store/store.ts'
import { retryOutdated } from './outdated-key.ts'
import type { Ciphertext } from './ciphertext.ts'
import { checkMac, keyTypeOf, signatureOf, type SignatureRow } from './key-type.ts'
import type { SealedVaultKeys } from './sealed-vault-keys.ts'
import { existing, writableFrom, type KeyVersions } from './key-versions.ts'
import type { Keyring } from './keyring.ts'
import type { KeyVersion, StoredKey, TransparentKey } from './records.ts'
import { mapBrokenSeal } from './sealing.ts'

export interface SigningRequest {
  /** The message, or its digest where `prehashed`. */
  readonly input: Buffer
  readonly prehashed: boolean
  /** Undefined: a hash as strong as the key. */
  readonly hash: Hash | undefined
  /** RSA only. Undefined: PSS. */
  readonly padding: Padding | undefined
  /** ECDSA only: DER, or r ‖ s as in JWS. */
  readonly form: 'asn1' | 'raw'
}

/** A signature or HMAC, and the key version that made it. */
export interface Made extends Ciphertext {
  readonly key: TransparentKey
}

/** Signing, and making and verifying HMACs. Every method may also throw `key.tampered` and `hsm.*`. */
export interface Signatures {
  /**
   * Signs with the given version, or the latest.
   * @throws Fault `key.not_found`, `key.wrong_type`, `key.version_unknown`, `key.version_disabled`, `request.invalid`
   */
  sign(by: Granted, stored: StoredKey | undefined, version: number | undefined, request: SigningRequest): Promise<Made>
  /** False for a wrong signature. A version that cannot be used is a fault. */
  verify(
    by: Granted,
    stored: StoredKey | undefined,
    request: SigningRequest,
    signature: Ciphertext,
  ): Promise<{ key: TransparentKey; valid: boolean }>
  hmac(by: Granted, stored: StoredKey | undefined, version: number | undefined, input: Buffer): Promise<Made>
  verifyHmac(
    by: Granted,
    stored: StoredKey | undefined,
    input: Buffer,
    mac: Ciphertext,
  ): Promise<{ key: TransparentKey; valid: boolean }>
}

const digestBytes: Readonly<Record<Hash, number>> = { sha256: 32, sha384: 48, sha512: 64 }

interface SignatureDependencies {
  readonly store: Pick<Store, 'read'>
  readonly hsm: Pick<Hsm, 'sign' | 'verifySignature' | 'hmac' | 'verifyHmac'>
  readonly keyring: Pick<Keyring, 'rotateIfDue'>
  readonly versions: Pick<KeyVersions, 'find'>
  readonly vaultKeys: Pick<SealedVaultKeys, 'referencesOf'>
}

export function createSignatures(dependencies: SignatureDependencies): Signatures {
  const uses = createUses(dependencies)
  const { read } = dependencies.store
  return {
    sign: (by, stored, version, request) =>
      retryOutdated(read, stored, (current) => uses.sign(by, current, version, request)),
    verify: (by, stored, request, signature) =>
      retryOutdated(read, stored, (current) => uses.verify(by, current, request, signature)),
    hmac: (by, stored, version, input) =>
      retryOutdated(read, stored, (current) => uses.hmac(by, current, version, input)),
    verifyHmac: (by, stored, input, mac) =>
      retryOutdated(read, stored, (current) => uses.verifyHmac(by, current, input, mac)),
  }
}

/** The same operations on a key as it was read. */
function createUses({ hsm, keyring, versions, vaultKeys }: SignatureDependencies): Signatures {
  const referenceTo = async (by: Granted, key: TransparentKey, used: KeyVersion) =>
    (await vaultKeys.referencesOf(key, await by.grant()))(used)
  /** The key, rotated first where that is due, and the version to use. */
  const newest = async (stored: StoredKey, version: number | undefined, use: string) => {
    const found = version === undefined ? await keyring.rotateIfDue(stored) : stored
    const { key } = found
    return { key, used: await versions.find(found, version ?? key.latestVersion, writableFrom(key), use) }
  }
  const verifying = (stored: StoredKey, version: number) =>
    versions.find(stored, version, stored.key.minDecryptionVersion, 'verifies')

  return {
    async sign(by, stored, version, request) {
      const found = existing(stored)
      const row = signatureOf(keyTypeOf(found.key.type))
      const [scheme, input] = [schemeOf(row, request), inputOf(row, request)]
      const { key, used } = await newest(found, version, 'signs')
      const reference = await referenceTo(by, key, used)
      const raw = await mapBrokenSeal(() => hsm.sign(reference, scheme, input))
      const bytes = row.family === 'ecdsa' && request.form === 'asn1' ? toDer(raw) : raw
      return { key, version: used.version, bytes }
    },

    async verify(by, stored, request, { version, bytes }) {
      const found = existing(stored)
      const row = signatureOf(keyTypeOf(found.key.type))
      const used = await verifying(found, version)
      const raw = row.family === 'ecdsa' && request.form === 'asn1' ? fromDer(bytes, row.orderBytes) : bytes
      if (raw === undefined) return { key: found.key, valid: false }
      const reference = await referenceTo(by, found.key, used)
      const [scheme, input] = [schemeOf(row, request), inputOf(row, request)]
      const valid = await mapBrokenSeal(() => hsm.verifySignature(reference, scheme, input, raw))
      return { key: found.key, valid }
    },

    async hmac(by, stored, version, input) {
      const found = existing(stored)
      checkMac(keyTypeOf(found.key.type))
      const { key, used } = await newest(found, version, 'makes HMACs')
      const reference = await referenceTo(by, key, used)
      return { key, version: used.version, bytes: await mapBrokenSeal(() => hsm.hmac(reference, input)) }
    },

    async verifyHmac(by, stored, input, { version, bytes }) {
      const found = existing(stored)
      checkMac(keyTypeOf(found.key.type))
      const used = await verifying(found, version)
      const reference = await referenceTo(by, found.key, used)
      try {
        return { key: found.key, valid: await mapBrokenSeal(() => hsm.verifyHmac(reference, input, bytes)) }
      } catch (error) {
        if (isFault(error, 'hsm.rejected')) return { key: found.key, valid: false }
        throw error
      }
    },
  }
}

function schemeOf(row: SignatureRow, { hash, padding }: SigningRequest) {
  if (padding !== undefined && row.family !== 'rsa')
    throw new Fault('request.invalid', 'signature_algorithm is for RSA keys.')
  return { hash: hash ?? row.hash, padding }
}

/** The input of the token's signing operation: the digest, but for Ed25519 the message itself (RFC 8032). */
function inputOf(row: SignatureRow, { input, prehashed, hash: asked }: SigningRequest): Buffer {
  if (row.family === 'ed25519') {
    if (prehashed) throw new Fault('request.invalid', 'Ed25519 signs the message itself: prehashed is not for it.')
    return input
  }
  const name = asked ?? row.hash
  if (!prehashed) return hash(name, input, 'buffer')
  if (input.length !== digestBytes[name])
    throw new Fault('request.invalid', `A prehashed input for ${name} has ${digestBytes[name]} bytes.`)
  return input
}

/**
 * ECDSA signatures have two forms: r ‖ s, each as long as the curve's order (IEEE P1363, and JWS), and the DER SEQUENCE
 * of two INTEGERs (RFC 3279 §2.2.3) that openssl reads. Converts r ‖ s to DER.
 */
export function toDer(raw: Buffer): Buffer {
  const half = raw.length / 2
  const content = Buffer.concat([derInteger(raw.subarray(0, half)), derInteger(raw.subarray(half))])
  return Buffer.concat([derHeader(derTag.sequence, content.length), content])
}

/**
 * Converts DER to r ‖ s. Undefined for anything but exactly one canonical signature: a lenient reader would accept two
 * encodings of one signature.
 */
export function fromDer(der: Buffer, orderBytes: number): Buffer | undefined {
  const numbers = numbersIn(der)
  if (numbers.length !== 2 || numbers.some(({ length }) => length > orderBytes)) return undefined
  const raw = Buffer.concat(numbers.flatMap((number) => [Buffer.alloc(orderBytes - number.length), number]))
  return toDer(raw).equals(der) ? raw : undefined
}

function numbersIn(der: Buffer): Buffer[] {
  try {
    const integers = readElements(readOnly(der, derTag.sequence).content)
    return integers.map(({ content }) => (content[0] === 0 ? content.subarray(1) : content))
  } catch (error) {
    if (error instanceof RangeError) return []
    throw error
  }
}

function derInteger(bytes: Buffer): Buffer {
  let start = 0
  while (start < bytes.length - 1 && bytes[start] === 0) start++
  const magnitude = bytes.subarray(start)
  // A leading zero byte, because a set top bit would make the INTEGER negative.
  const padded = (magnitude[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.of(0), magnitude]) : magnitude
  return Buffer.concat([derHeader(derTag.integer, padded.length), padded])
}

/** Two 521-bit numbers, the longest that occur, need a length of two bytes (X.690 §8.1.3.5). */
function derHeader(tag: number, length: number): Buffer {
  return length < 0x80 ? Buffer.of(tag, length) : Buffer.of(tag, 0x81, length)
}
