import {
  derTag,
  readBits,
  readElement,
  readElements,
  readOid,
  readOnly,
  readTime,
  type DerElement,
} from '../../encoding/der.ts'
import { pemBlocks } from '../../encoding/pem.ts'

/** A certificate revocation list (RFC 5280 §5). Its signature has not been verified yet. */
export interface RevocationList {
  /** DER of the name of the CA that issued it. */
  readonly issuerName: Buffer
  readonly thisUpdate: number
  /** When it expires, in milliseconds since the Unix epoch. */
  readonly nextUpdate: number
  /** Serial numbers of revoked certificates: content of the INTEGER, hexadecimal. */
  readonly serials: ReadonlySet<string>
  /** Distinguishes the lists of one CA: lists with the same scope replace one another. */
  readonly scope: string
  readonly coversUsers: boolean
  readonly coversAuthorities: boolean
  readonly signed: Buffer
  readonly algorithm: Buffer
  readonly signature: Buffer
}

const oid = {
  crlNumber: '2.5.29.20',
  deltaIndicator: '2.5.29.27',
  issuingDistributionPoint: '2.5.29.28',
  authorityKeyIdentifier: '2.5.29.35',
} as const

/** Reads the lists in a file: DER, or PEM with any number of blocks. @throws RangeError for anything else */
export function readRevocationLists(content: Buffer): RevocationList[] {
  if (content[0] === derTag.sequence) return [readRevocationList(content)]
  const blocks = pemBlocks(content.toString('latin1')).filter(({ label }) => label === 'X509 CRL' || label === 'CRL')
  if (blocks.length === 0) throw new RangeError('it holds no revocation list, neither as PEM ("X509 CRL") nor as DER')
  return blocks.map(({ bytes }) => readRevocationList(bytes))
}

function readRevocationList(der: Buffer): RevocationList {
  const [signed, algorithm, signature] = readElements(readOnly(der, derTag.sequence).content)
  if (!signed || !algorithm || !signature) throw new RangeError('the revocation list lacks a field')
  const fields = readElements(signed.content)
  if (fields[0]?.tag === derTag.integer) fields.shift()
  const [inner, issuer, thisUpdate, nextUpdate, ...rest] = fields
  if (!inner?.raw.equals(algorithm.raw) || !issuer || !thisUpdate)
    throw new RangeError('the revocation list lacks a field')
  if (nextUpdate?.tag !== derTag.utcTime && nextUpdate?.tag !== derTag.generalizedTime)
    throw new RangeError('the revocation list does not say when it expires (nextUpdate)')
  const extensions = rest.find(({ tag }) => tag === derTag.context0)
  return {
    issuerName: issuer.raw,
    thisUpdate: readTime(thisUpdate),
    nextUpdate: readTime(nextUpdate),
    serials: serialsIn(rest.find(({ tag }) => tag === derTag.sequence)),
    ...scopeOf(extensions),
    signed: signed.raw,
    algorithm: algorithm.raw,
    signature: readBits(signature),
  }
}

/** Reads only the serial number of each entry, which comes first. */
function serialsIn(entries: DerElement | undefined): Set<string> {
  const serials = new Set<string>()
  if (entries === undefined) return serials
  for (let at = 0; at < entries.content.length;) {
    const entry = readElement(entries.content, at)
    serials.add(readElement(entry.content).content.toString('hex'))
    at += entry.raw.length
  }
  return serials
}

/**
 * The scope of the list (RFC 5280 §5.2.5).
 * @throws RangeError for a partial list and for unknown critical extensions
 */
function scopeOf(
  extensions: DerElement | undefined,
): Pick<RevocationList, 'scope' | 'coversUsers' | 'coversAuthorities'> {
  let scope = ''
  let limits: number[] = []
  for (const extension of extensions === undefined ? [] : readElements(readElement(extensions.content).content)) {
    const [type, ...rest] = readElements(extension.content)
    const name = type === undefined ? '' : readOid(type)
    const value = rest.at(-1)?.content ?? Buffer.alloc(0)
    const critical = rest.length > 1
    if (name === oid.deltaIndicator) throw new RangeError('it is a delta list, which holds only changes')
    if (name === oid.issuingDistributionPoint) {
      scope = value.toString('hex')
      limits = readElements(readOnly(value, derTag.sequence).content).map(({ tag }) => tag & 0x1f)
    } else if (critical && name !== oid.crlNumber && name !== oid.authorityKeyIdentifier) {
      throw new RangeError(`the revocation list has the unknown critical extension ${name}`)
    }
  }
  if (limits.some((limit) => limit > 2))
    throw new RangeError('it is indirect, or covers some reasons or attribute certificates only')
  return { scope, coversUsers: !limits.includes(2), coversAuthorities: !limits.includes(1) }
}
