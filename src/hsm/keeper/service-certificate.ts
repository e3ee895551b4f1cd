import { X509Certificate } from 'node:crypto'
import { fitsPattern } from '../../access/star-pattern.ts'
import { boundCertificate } from '../../encoding/certificate-bound.ts'
import { derTag, readElements, readOid, readOnly } from '../../encoding/der.ts'
import { Fault } from '../../fault.ts'
import { refused } from '../assertion.ts'
import type { CredentialOf, SanPattern } from '../service-credential.ts'

/** A client's certificate, valid at this time. */
export interface ShownCertificate {
  readonly endsAt: number
  /** Whether the CA of this credential issued it, to a name that matches. */
  isIssuedBy(credential: Pick<CredentialOf<'ca'>, 'certificate' | 'san'>): boolean
}

const longestCertificate = 16_384
const clientAuth = '1.3.6.1.5.5.7.3.2'
const sanOid = '2.5.29.17'
/** Tags of GeneralName (RFC 5280 §4.2.1.6). */
const sanTags = { email: 0x81, dns: 0x82, uri: 0x86 } as const satisfies Readonly<Record<SanPattern['type'], number>>

/**
 * Reads the certificate that a worker claims to have seen in a TLS handshake. The worker checks path, revocation and
 * profile too (decision 12). Issuer, signature, dates and name are checked here, so that a worker can use only
 * certificates that a CA of the account issued.
 * @throws Fault `login.refused`
 */
export function readShownCertificate(der: Buffer, now: number): ShownCertificate {
  const certificate = parsed(der)
  if (certificate.ca) throw refused('the certificate is of a CA')
  if (!isValidAt(certificate, now)) throw refused('the certificate is not valid at this time')
  // Undefined where it names no extended use; @types/node has it never undefined.
  const uses: readonly string[] | undefined = certificate.keyUsage
  if (uses !== undefined && !uses.includes(clientAuth)) throw refused('the certificate is not for clientAuth')
  return {
    endsAt: Date.parse(certificate.validTo),
    isIssuedBy({ certificate: issuer, san }) {
      const ca = new X509Certificate(Buffer.from(issuer, 'base64'))
      const isIssuer = ca.ca && isValidAt(ca, now) && certificate.checkIssued(ca) && certificate.verify(ca.publicKey)
      return isIssuer && namesIn(der, san.type).some((name) => fitsPattern(san.pattern, name))
    },
  }
}

function parsed(der: Buffer): X509Certificate {
  try {
    if (der.length > longestCertificate) throw new RangeError('a certificate of so many bytes')
    boundCertificate(der)
    const certificate = new X509Certificate(der)
    if (!certificate.raw.equals(der)) throw new RangeError('the certificate is followed by other bytes')
    return certificate
  } catch (cause) {
    throw new Fault('login.refused', 'the certificate cannot be read', { cause })
  }
}

const isValidAt = ({ validFrom, validTo }: X509Certificate, now: number): boolean =>
  Date.parse(validFrom) <= now && now <= Date.parse(validTo)

/** From the DER, because the text in `subjectAltName` would have to be parsed again. */
function namesIn(der: Buffer, type: SanPattern['type']): string[] {
  const [tbs] = readElements(readOnly(der, derTag.sequence).content)
  const extensions = readElements(tbs?.content ?? Buffer.alloc(0)).find(({ tag }) => tag === extensionsTag)
  if (extensions === undefined) return []
  const list = readElements(readOnly(extensions.content, derTag.sequence).content).map(({ content }) =>
    readElements(content),
  )
  const values = list.filter(([oid]) => oid !== undefined && readOid(oid) === sanOid)
  const [value] = values
  // A certificate must not have an extension twice (RFC 5280 §4.2).
  if (value === undefined || values.length > 1) return []
  return readElements(readOnly(value.at(-1)?.content ?? Buffer.alloc(0), derTag.sequence).content)
    .filter(({ tag }) => tag === sanTags[type])
    .map(({ content }) => content.toString('latin1'))
}

/** Context tag `[3]`, constructed. */
const extensionsTag = 0xa3
