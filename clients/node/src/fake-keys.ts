import type { errorCatalogue } from './api.ts'
import { fromBase64, toBase64 } from './base64.ts'

/** A code of the error catalogue. */
export type CatalogueCode = keyof typeof errorCatalogue

/** An error answer of the fake. */
export class FakeRefusal extends Error {
  readonly code: CatalogueCode

  constructor(code: CatalogueCode, message: string) {
    super(message)
    this.code = code
  }
}

type CryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>
type Bytes = Uint8Array<ArrayBuffer>

/** The functions of a key version. Their bytes are those after `service:vN:`, decoded from Base64. */
interface Version {
  encrypt?(plaintext: Bytes, aad: Bytes): Promise<Bytes>
  decrypt?(ciphertext: Bytes, aad: Bytes): Promise<Bytes>
  sign?(input: Bytes): Promise<Bytes>
  verify?(input: Bytes, signature: Bytes): Promise<boolean>
}

export interface FakeKey {
  readonly type: string
  readonly versions: Version[]
}

const ivBytes = 12

const makers: Readonly<Record<string, () => Promise<Version>>> = {
  'aes128-gcm96': () => aes(128),
  'aes256-gcm96': () => aes(256),
  'hmac-sha256': async () => signing(await crypto.subtle.generateKey(hmac, false, ['sign', 'verify']), hmac),
  // A signature of 64 bytes, r and s, as with `marshaling_algorithm` jws.
  'ecdsa-p256': async () => {
    const { privateKey, publicKey } = await crypto.subtle.generateKey(ecdsa, false, ['sign', 'verify'])
    return signing(privateKey, ecdsa, publicKey)
  },
}
const hmac = { name: 'HMAC', hash: 'SHA-256', length: 256 }
const ecdsa = { name: 'ECDSA', hash: 'SHA-256', namedCurve: 'P-256' }

async function aes(length: number): Promise<Version> {
  const key = await crypto.subtle.generateKey({ name: 'AES-GCM', length }, false, ['encrypt', 'decrypt'])
  return {
    async encrypt(plaintext, additionalData) {
      const iv = crypto.getRandomValues(new Uint8Array(ivBytes))
      const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData }, key, plaintext)
      const bytes = new Uint8Array(ivBytes + sealed.byteLength)
      bytes.set(iv)
      bytes.set(new Uint8Array(sealed), ivBytes)
      return bytes
    },
    async decrypt(bytes, additionalData) {
      const parameters = { name: 'AES-GCM', iv: bytes.slice(0, ivBytes), additionalData }
      const plaintext = await crypto.subtle.decrypt(parameters, key, bytes.slice(ivBytes)).catch(() => {
        throw new FakeRefusal('ciphertext.invalid', 'The ciphertext was changed, or was made with another key.')
      })
      return new Uint8Array(plaintext)
    },
  }
}

const signing = (key: CryptoKey, parameters: { name: string; hash: string }, checking = key): Version => ({
  sign: async (input) => new Uint8Array(await crypto.subtle.sign(parameters, key, input)),
  verify: (input, signature) => crypto.subtle.verify(parameters, checking, signature, input),
})

/** Adds a version to a key, or makes the first version of a new key. */
export async function addVersion(type: string, versions: Version[] = []): Promise<FakeKey> {
  const make = makers[type]
  if (make === undefined)
    throw new FakeRefusal(
      'key.type_unknown',
      `The fake has keys of these types alone: ${Object.keys(makers).join(', ')}.`,
    )
  versions.push(await make())
  return { type, versions }
}

/** The function of a version that a call needs. @throws FakeRefusal */
export function useOf<Use extends keyof Version>(key: FakeKey, version: number, use: Use): NonNullable<Version[Use]> {
  const found = key.versions[version - 1]
  if (found === undefined)
    throw new FakeRefusal(
      'key.version_unknown',
      'The key has no such version, or its limits exclude it: read the key to see which it has.',
    )
  const able = found[use]
  if (able === undefined)
    throw new FakeRefusal(
      'key.wrong_type',
      'Keys of this type do not serve this use: take a key of a type that does, see /transparent/types.',
    )
  return able
}

export const writeVersioned = (version: number, bytes: Uint8Array): string => `service:v${version}:${toBase64(bytes)}`

export function readVersioned(text: unknown, code: CatalogueCode): { readonly version: number; readonly bytes: Bytes } {
  const [, version, base64] = /^service:v(\d+):([A-Za-z0-9+/]+={0,2})$/.exec(String(text)) ?? []
  if (version === undefined || base64 === undefined) throw new FakeRefusal(code, 'It does not begin with service:v1:.')
  return { version: Number(version), bytes: fromBase64(base64) }
}
