import { decodeBase64 } from '../../interface/base64-text.ts'
import { type Json, jsonIn, textIn } from '../bitwarden-reading.ts'
import { UnreadableFile } from '../entry.ts'
import { hashByArgon2, type OnProgress } from './argon2-hash.ts'

type Bytes = Uint8Array<ArrayBuffer>

/**
 * Decrypts an export that is protected by a pass phrase: PBKDF2 or Argon2id, HKDF-Expand, then AES-CBC with
 * HMAC-SHA-256 (Bitwarden's "type 2").
 * @throws UnreadableFile `passphrase` for a wrong pass phrase, `kdf` for an unknown hash, `cost` for excessive
 * parameters
 */
export async function openBitwarden(text: string, passphrase: string, onProgress: OnProgress): Promise<string> {
  const json = jsonIn(text) ?? {}
  const hash = hashes.get(json['kdfType'])
  if (hash === undefined) throw new UnreadableFile('kdf')
  const encoder = new TextEncoder()
  const key = await hash(encoder.encode(passphrase), encoder.encode(textIn(json, 'salt')), json, onProgress)
  const [encryption, authentication] = [await expand(key, 'enc'), await expand(key, 'mac')]
  return new TextDecoder().decode(await decrypted(textIn(json, 'data'), encryption, authentication))
}

type Hash = (passphrase: Bytes, salt: Bytes, cost: Json, onProgress: OnProgress) => Promise<Bytes>

/** The hashes by the value of `kdfType`. */
const hashes = new Map<unknown, Hash>([
  [0, hashByPbkdf2],
  [1, hashByArgon2id],
])

/** Beyond every setting that Bitwarden offers. */
const mostIterations = 10_000_000

async function hashByPbkdf2(passphrase: Bytes, salt: Bytes, cost: Json): Promise<Bytes> {
  const iterations = countIn(cost, 'kdfIterations')
  if (iterations > mostIterations) throw new UnreadableFile('cost')
  const material = await crypto.subtle.importKey('raw', passphrase, 'PBKDF2', false, ['deriveBits'])
  return new Uint8Array(
    await crypto.subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-256', salt, iterations }, material, 256),
  )
}

/** Like Bitwarden's clients, hashes the salt with SHA-256 first, because Argon2 needs a salt of a certain length. */
async function hashByArgon2id(passphrase: Bytes, salt: Bytes, json: Json, onProgress: OnProgress): Promise<Bytes> {
  const cost = {
    iterations: countIn(json, 'kdfIterations'),
    memoryKiB: countIn(json, 'kdfMemory') * 1024,
    parallelism: countIn(json, 'kdfParallelism'),
    version: 0x13,
  }
  const hashedSalt = new Uint8Array(await crypto.subtle.digest('SHA-256', salt))
  return hashByArgon2('argon2id', passphrase, hashedSalt, cost, onProgress)
}

function countIn(json: Json, name: string): number {
  const count = json[name]
  if (!Number.isSafeInteger(count) || Number(count) < 1) throw new UnreadableFile('kdf')
  return Number(count)
}

/** HKDF-Expand (RFC 5869, 2.3) for one block. WebCrypto's HKDF would also extract. */
async function expand(key: Bytes, info: string): Promise<ArrayBuffer> {
  const hmac = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return crypto.subtle.sign('HMAC', hmac, new Uint8Array([...new TextEncoder().encode(info), 1]))
}

async function decrypted(sealed: string, encryption: ArrayBuffer, authentication: ArrayBuffer): Promise<ArrayBuffer> {
  const [, iv, data, mac] = (/^2\.([\w+/=]+)\|([\w+/=]+)\|([\w+/=]+)$/.exec(sealed) ?? []).map(bytesOf)
  if (iv === undefined || data === undefined || mac === undefined) throw new UnreadableFile('form')
  const hmac = await crypto.subtle.importKey('raw', authentication, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ])
  if (!(await crypto.subtle.verify('HMAC', hmac, mac, await new Blob([iv, data]).arrayBuffer())))
    throw new UnreadableFile('passphrase')
  const aes = await crypto.subtle.importKey('raw', encryption, 'AES-CBC', false, ['decrypt'])
  return crypto.subtle.decrypt({ name: 'AES-CBC', iv }, aes, data)
}

function bytesOf(base64: string): Bytes | undefined {
  try {
    return decodeBase64(base64)
  } catch {
    return undefined
  }
}
