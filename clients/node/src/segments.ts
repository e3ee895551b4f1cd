/**
 * Tink's Streaming AEAD AES-GCM-HKDF. A stream consists of segments. Each is encrypted with its number and a mark of
 * the last one, so that none can be left out, moved or cut off. The construction is STREAM (Hoang, Reyhanitabar,
 * Rogaway, Vizár: Online Authenticated-Encryption and its Nonce-Reuse Misuse-Resistance, CRYPTO 2015). The parameters
 * are those of Tink's AES256_GCM_HKDF_1MB: https://developers.google.com/tink/streaming-aead/aes_gcm_hkdf_streaming
 *
 *     header          1 byte, its own length (40) · 32 bytes salt · 7 bytes nonce prefix
 *     segment         AES-256-GCM of up to 1 MiB with its tag; the first is shorter by the header
 *     key             HKDF-SHA-256 of the data key, with the salt, and the additional data as info
 *     nonce           nonce prefix · number of the segment, 4 bytes · 1 for the last, else 0
 */
export const segmentBytes = 1_048_576
const tagBytes = 16
const saltBytes = 32
const prefixBytes = 7
const headerBytes = 1 + saltBytes + prefixBytes
const mostSegments = 2 ** 32

type Bytes = Uint8Array<ArrayBuffer>

/** Bytes of plaintext in a segment, by its number. */
const plainBytes = (number: number): number => segmentBytes - tagBytes - (number === 0 ? headerBytes : 0)

const sealedBytes = (number: number): number => plainBytes(number) + tagBytes

/** Encrypts a stream into header and segments. Salt and prefix are fixed only in test vectors. */
export async function* seal(
  dataKey: Bytes,
  aad: Bytes,
  source: AsyncIterable<Uint8Array>,
  salt: Bytes = crypto.getRandomValues(new Uint8Array(saltBytes)),
  prefix: Bytes = crypto.getRandomValues(new Uint8Array(prefixBytes)),
): AsyncGenerator<Bytes> {
  const key = await derive(dataKey, salt, aad, 'encrypt')
  const header = new Uint8Array(headerBytes)
  header[0] = headerBytes
  header.set(salt, 1)
  header.set(prefix, 1 + saltBytes)
  yield header
  for await (const { number, bytes, isLast } of split(source, plainBytes))
    yield new Uint8Array(await crypto.subtle.encrypt(algorithm(prefix, number, isLast), key, bytes))
}

/**
 * Decrypts a stream. @throws RangeError for a stream that was changed or cut off; the parts before that are genuine,
 * but incomplete
 */
export async function* open(dataKey: Bytes, aad: Bytes, source: AsyncIterable<Uint8Array>): AsyncGenerator<Bytes> {
  // The header is treated as a first part of its own length.
  const parts = split(source, (number) => (number === 0 ? headerBytes : sealedBytes(number - 1)))
  const { value: first } = await parts.next()
  const header = first?.bytes
  if (header?.length !== headerBytes || header[0] !== headerBytes) throw damaged()
  const prefix = header.slice(1 + saltBytes)
  const key = await derive(dataKey, header.slice(1, 1 + saltBytes), aad, 'decrypt')
  let isWhole = false
  for await (const { number, bytes, isLast } of parts) {
    const parameters = algorithm(prefix, number - 1, isLast)
    yield new Uint8Array(await crypto.subtle.decrypt(parameters, key, bytes).catch(damaged))
    isWhole = isLast
  }
  if (!isWhole) throw damaged()
}

function damaged(): never {
  throw new RangeError('The stream was changed or cut, or belongs to other additional data.')
}

async function derive(dataKey: Bytes, salt: Bytes, info: Bytes, use: 'encrypt' | 'decrypt') {
  const input = await crypto.subtle.importKey('raw', dataKey, 'HKDF', false, ['deriveKey'])
  const hkdf = { name: 'HKDF', hash: 'SHA-256', salt, info }
  return crypto.subtle.deriveKey(hkdf, input, { name: 'AES-GCM', length: 256 }, false, [use])
}

function algorithm(prefix: Bytes, number: number, isLast: boolean) {
  if (number >= mostSegments) throw new RangeError('The stream is longer than its format allows.')
  const iv = new Uint8Array(12)
  iv.set(prefix)
  new DataView(iv.buffer).setUint32(prefixBytes, number)
  iv[11] = isLast ? 1 : 0
  return { name: 'AES-GCM', iv, tagLength: 128 }
}

interface Part {
  readonly number: number
  readonly bytes: Bytes
  readonly isLast: boolean
}

/** Divides pieces of any length into parts of given lengths. The last part may be shorter or empty. */
async function* split(source: AsyncIterable<Uint8Array>, lengthOf: (number: number) => number): AsyncGenerator<Part> {
  let number = 0
  let part = new Uint8Array(lengthOf(0))
  let filled = 0
  for await (const piece of source)
    for (let at = 0; at < piece.length;) {
      // A full part is passed on only when more follows, because until then it may be the last.
      if (filled === part.length) {
        yield { number, bytes: part, isLast: false }
        part = new Uint8Array(lengthOf(++number))
        filled = 0
      }
      const taken = Math.min(piece.length - at, part.length - filled)
      part.set(piece.subarray(at, at + taken), filled)
      at += taken
      filled += taken
    }
  yield { number, bytes: part.slice(0, filled), isLast: true }
}
