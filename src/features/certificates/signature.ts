import { constants, verify, type KeyObject } from 'node:crypto'
import { derTag, digestNames, readElements, readOid, readOnly, type DerElement } from '../../encoding/der.ts'

/** Signature algorithms with a digest of their own (RFC 8017, RFC 5758, RFC 8410). */
const algorithms: Readonly<Record<string, { readonly key: string; readonly digest: string | null }>> = {
  '1.2.840.113549.1.1.11': { key: 'rsa', digest: 'sha256' },
  '1.2.840.113549.1.1.12': { key: 'rsa', digest: 'sha384' },
  '1.2.840.113549.1.1.13': { key: 'rsa', digest: 'sha512' },
  '1.2.840.10045.4.3.2': { key: 'ec', digest: 'sha256' },
  '1.2.840.10045.4.3.3': { key: 'ec', digest: 'sha384' },
  '1.2.840.10045.4.3.4': { key: 'ec', digest: 'sha512' },
  '1.3.101.112': { key: 'ed25519', digest: null },
}

const rsaPss = '1.2.840.113549.1.1.10'

/** Whether this algorithm (DER AlgorithmIdentifier) is accepted for signatures. */
export function isStrongAlgorithm(algorithm: Buffer): boolean {
  return digestOf(algorithm) !== undefined
}

/** Whether `signature` over `data` is valid; false for an algorithm that is weak, unknown, or not of this key. */
export function isGoodSignature(algorithm: Buffer, data: Buffer, signature: Buffer, key: KeyObject): boolean {
  const found = digestOf(algorithm)
  if (found === undefined || !found.keys.includes(key.asymmetricKeyType ?? '')) return false
  const padding = found.pss
    ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO }
    : {}
  return verify(found.digest, data, { key, ...padding }, signature)
}

function digestOf(algorithm: Buffer): { keys: string[]; digest: string | null; pss: boolean } | undefined {
  const [oid, parameters] = readElements(readOnly(algorithm, derTag.sequence).content)
  if (oid === undefined) return undefined
  const name = readOid(oid)
  const plain = algorithms[name]
  if (plain !== undefined) return { keys: [plain.key], digest: plain.digest, pss: false }
  const digest = name === rsaPss && parameters !== undefined ? pssDigest(parameters) : undefined
  return digest === undefined ? undefined : { keys: ['rsa', 'rsa-pss'], digest, pss: true }
}

/** RSASSA-PSS-params (RFC 4055 §3.1): the digest is in `[0]`; a missing one means SHA-1. */
function pssDigest({ content }: DerElement): string | undefined {
  const hash = readElements(content).find(({ tag }) => tag === derTag.context0)
  const [identifier] = hash === undefined ? [] : readElements(hash.content)
  const [oid] = identifier === undefined ? [] : readElements(identifier.content)
  return oid === undefined ? undefined : digestNames[readOid(oid)]
}
