import { fromBase64, toBase64, type Bytes } from './base64.ts'
import type { BatchCall, BatchOperation, Item, ItemResult } from './batching.ts'
import type { CallOptions } from './client.ts'
import { ProtocolError } from './errors.ts'
import { decryptStream, encryptStream, type Source, type StreamOptions } from './streams.ts'

/** A named key of a vault. The key material stays in the appliance. */
export interface Key {
  readonly vaultid: string
  readonly name: string
  /** Resolves to the ciphertext, an ASCII text. A plaintext string is encoded as UTF-8. */
  encrypt(plaintext: Bytes, options?: EncryptOptions): Promise<string>
  /** Resolves to the plaintext. */
  decrypt(ciphertext: string, options?: AadOptions): Promise<Uint8Array>
  /** Resolves to the plaintext as text. @throws TypeError for bytes that are not UTF-8 */
  decryptText(ciphertext: string, options?: AadOptions): Promise<string>
  /**
   * Re-encrypts a ciphertext with the latest version of the key, or `toVersion`. The plaintext stays in the appliance.
   */
  rewrap(ciphertext: string, options?: RewrapOptions): Promise<string>
  /** Resolves to the signature, ASCII text `service:vN:…` with the version N of the key. */
  sign(input: Bytes, options?: SignOptions): Promise<string>
  /** Resolves to whether the signature is valid for the input. `options` must be those of the signature. */
  verify(input: Bytes, signature: string, options?: SigningForm & CallOptions): Promise<boolean>
  /** Resolves to the HMAC, ASCII text `service:vN:…` with the version N of the key. */
  hmac(input: Bytes, options?: VersionOptions): Promise<string>
  /** Resolves to whether the HMAC is valid for the input. */
  verifyHmac(input: Bytes, hmac: string, options?: CallOptions): Promise<boolean>
  /** Resolves to a new data key, encrypted under this key, and as plaintext unless `wrapped` is set. */
  dataKey(options?: DataKeyOptions): Promise<DataKey>
  /** Encrypts a stream of any length with memory for three segments of 1 MiB. An error fails the whole stream. */
  encryptStream(source: Source, options?: StreamOptions): ReadableStream<Uint8Array>
  /** Decrypts a stream. The output is complete only if the stream ends without an error: do not use it before. */
  decryptStream(source: Source, options?: Omit<StreamOptions, 'keyVersion'>): ReadableStream<Uint8Array>
}

export interface BatchOptions extends CallOptions {
  /** false: this call is not joined with others of its tick. */
  readonly batch?: boolean
}
export interface AadOptions extends BatchOptions {
  /** Additional data that is authenticated but not stored. Decryption needs the same data. */
  readonly aad?: Bytes
}
export interface EncryptOptions extends AadOptions {
  readonly keyVersion?: number
  /** Type of the key, if this call creates it. */
  readonly type?: string
}
export interface RewrapOptions extends AadOptions {
  readonly toVersion?: number
}
export interface VersionOptions extends CallOptions {
  readonly keyVersion?: number
}
export interface SigningForm {
  /** The input is already a hash. */
  readonly prehashed?: boolean
  readonly hashAlgorithm?: 'sha2-256' | 'sha2-384' | 'sha2-512'
  readonly signatureAlgorithm?: 'pss' | 'pkcs1v15'
  readonly marshalingAlgorithm?: 'asn1' | 'jws'
}
export interface SignOptions extends SigningForm, VersionOptions {}
export interface DataKeyOptions extends VersionOptions {
  readonly bits?: 128 | 256 | 512
  readonly aad?: Bytes
  /** The answer contains the encrypted form only. */
  readonly wrapped?: boolean
}
export interface DataKey {
  readonly ciphertext: string
  /** Undefined for a wrapped data key. */
  readonly plaintext: Uint8Array<ArrayBuffer> | undefined
}

/** The calls that a key makes. */
export interface KeyCalls {
  /** Sends one item, joined with others of the same tick unless `isJoined` is false. */
  item(call: BatchCall, item: Item, signal: AbortSignal | undefined, isJoined: boolean | undefined): Promise<ItemResult>
  single(
    operation: 'transparent.sign' | 'transparent.verify' | 'transparent.hmac' | 'transparent.datakey',
    params: Readonly<Record<string, string>>,
    body: Readonly<Record<string, unknown>>,
    options: CallOptions,
  ): Promise<ItemResult>
}

export function createKey(vaultid: string, name: string, calls: KeyCalls): Key {
  const params = { vaultid, name }

  function item(
    operation: BatchOperation,
    item: Item,
    { batch, signal, timeoutMs, retries }: BatchOptions,
    shared: Readonly<Record<string, unknown>> = {},
  ): Promise<ItemResult> {
    const options = { ...(timeoutMs === undefined ? {} : { timeoutMs }), ...(retries === undefined ? {} : { retries }) }
    return calls.item({ operation, params, shared, options }, item, signal, batch)
  }

  async function decrypt(ciphertext: string, { aad, ...options }: AadOptions = {}): Promise<Uint8Array> {
    return fromBase64(
      memberOf(await item('transparent.decrypt', { ciphertext, aad: encoded(aad) }, options), 'plaintext'),
    )
  }

  async function dataKey({
    bits,
    aad,
    wrapped = false,
    keyVersion,
    ...options
  }: DataKeyOptions = {}): Promise<DataKey> {
    const type = wrapped ? 'wrapped' : 'plaintext'
    const body = { bits, aad: encoded(aad), key_version: keyVersion }
    const made = await calls.single('transparent.datakey', { ...params, type }, body, options)
    return {
      ciphertext: memberOf(made, 'ciphertext'),
      plaintext: wrapped ? undefined : fromBase64(memberOf(made, 'plaintext')),
    }
  }

  return {
    ...params,
    decrypt,
    async encrypt(plaintext, { aad, keyVersion, type, ...options } = {}) {
      const one = { plaintext: toBase64(plaintext), aad: encoded(aad), key_version: keyVersion }
      return memberOf(await item('transparent.encrypt', one, options, type === undefined ? {} : { type }), 'ciphertext')
    },
    async decryptText(ciphertext, options) {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await decrypt(ciphertext, options))
    },
    async rewrap(ciphertext, { aad, toVersion, ...options } = {}) {
      const one = { ciphertext, aad: encoded(aad), to_version: toVersion }
      return memberOf(await item('transparent.rewrap', one, options), 'ciphertext')
    },
    async sign(input, { keyVersion, ...options } = {}) {
      const body = { input: toBase64(input), ...formOf(options), key_version: keyVersion }
      return memberOf(await calls.single('transparent.sign', params, body, options), 'signature')
    },
    async verify(input, signature, options = {}) {
      const body = { input: toBase64(input), ...formOf(options), signature }
      return isValid(await calls.single('transparent.verify', params, body, options))
    },
    async hmac(input, { keyVersion, ...options } = {}) {
      const body = { input: toBase64(input), key_version: keyVersion }
      return memberOf(await calls.single('transparent.hmac', params, body, options), 'hmac')
    },
    async verifyHmac(input, hmac, options = {}) {
      return isValid(await calls.single('transparent.verify', params, { input: toBase64(input), hmac }, options))
    },
    dataKey,
    encryptStream: (source, options) => encryptStream({ dataKey, decrypt }, source, options),
    decryptStream: (source, options) => decryptStream({ dataKey, decrypt }, source, options),
  }
}

const encoded = (aad: Bytes | undefined): string | undefined => (aad === undefined ? undefined : toBase64(aad))

const formOf = ({ prehashed, hashAlgorithm, signatureAlgorithm, marshalingAlgorithm }: SigningForm) => ({
  prehashed,
  hash_algorithm: hashAlgorithm,
  signature_algorithm: signatureAlgorithm,
  marshaling_algorithm: marshalingAlgorithm,
})

function isValid(result: ItemResult): boolean {
  if (typeof result['valid'] !== 'boolean') throw missing('valid')
  return result['valid']
}

function memberOf(result: ItemResult, name: string): string {
  const value = result[name]
  if (typeof value !== 'string') throw missing(name)
  return value
}

const missing = (name: string): ProtocolError =>
  new ProtocolError(`The answer has no member ${name}.`, { code: 'protocol' })
