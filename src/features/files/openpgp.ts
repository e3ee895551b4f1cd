/** The content of an OpenPGP file, by its armour (RFC 9580 §6.2) or its first packet; undefined for other files. */
export function openPgpContent(bytes: Buffer, armourLabel: string | undefined): string | undefined {
  if (armourLabel?.startsWith('PGP ')) return byLabel[armourLabel]
  const packet = firstPacket(bytes)
  return packet && byTag[packet.tag]?.(packet.body)
}

const [message, signature, publicKey, privateKey] = ['message', 'signature', 'public key', 'private key']

const byLabel: Readonly<Record<string, string>> = {
  'PGP MESSAGE': message,
  'PGP SIGNED MESSAGE': 'signed message',
  'PGP SIGNATURE': signature,
  'PGP PUBLIC KEY BLOCK': publicKey,
  'PGP PRIVATE KEY BLOCK': privateKey,
}

type Judge = (body: Buffer) => string | undefined

/** Public-key algorithms (RFC 9580 §9.1). */
const keyAlgorithms = new Set([1, 2, 3, 16, 17, 18, 19, 22, 25, 26, 27, 28])
const is = (value: number | undefined, most: number): boolean => value !== undefined && value >= 1 && value <= most
const isKeyAlgorithm = (value: number | undefined): boolean => value !== undefined && keyAlgorithms.has(value)

/**
 * A check per kind of packet. Each begins with its version; the next bytes are numbers from short lists (RFC 9580 §5).
 */
const byTag: Readonly<Record<number, Judge>> = {
  1: (body) => (body[0] === 3 && isKeyAlgorithm(body[9]) ? message : undefined),
  2: (body) => ((body[0] === 4 || body[0] === 6) && isKeyAlgorithm(body[2]) && is(body[3], 14) ? signature : undefined),
  3: (body) => (body[0] === 4 && is(body[1], 13) && is(body[2], 4) ? message : undefined),
  5: (body) => (isKey(body) ? privateKey : undefined),
  6: (body) => (isKey(body) ? publicKey : undefined),
}

const isKey = (body: Buffer): boolean => (body[0] === 4 || body[0] === 6) && isKeyAlgorithm(body[5])

/** The tag and the body of the first packet, as far as the bytes go (RFC 9580 §4.2). */
function firstPacket(bytes: Buffer): { readonly tag: number; readonly body: Buffer } | undefined {
  const [first, second] = bytes
  if (first === undefined || second === undefined || first < 0x80) return undefined
  if ((first & 0x40) !== 0) {
    const lengthBytes = second < 192 ? 1 : second === 255 ? 5 : second < 224 ? 2 : 1
    return { tag: first & 0x3f, body: bytes.subarray(1 + lengthBytes) }
  }
  const lengthBytes = [1, 2, 4, 0][first & 3] ?? 0
  return { tag: (first >> 2) & 0x0f, body: bytes.subarray(1 + lengthBytes) }
}
