// @peculiar/x509 requires it to be imported first.
import 'reflect-metadata'
import { createPublicKey, type KeyObject } from 'node:crypto'
import * as x509 from '@peculiar/x509'
import { boundCertificate } from '../../encoding/certificate-bound.ts'
import { utcText } from '../../clock.ts'

type Values = Readonly<Record<string, string>>

/**
 * The values of a certificate for the fields of its template.
 * @throws Error of any kind for a certificate that cannot be parsed; Fault `certificate.invalid` for one that would
 * take long to parse
 */
export function certificateValues(der: Buffer): Values {
  boundCertificate(der)
  const certificate = new x509.X509Certificate(der)
  return {
    ...subjectValues(certificate),
    issuer: nameText(certificate.issuerName),
    validfrom: utcText(certificate.notBefore.getTime()),
    validto: utcText(certificate.notAfter.getTime()),
    keyusage: usageText(certificate.getExtension(x509.KeyUsagesExtension)),
  }
}

/** The same for a certificate request (RFC 2986). */
export function requestValues(der: Buffer): Values {
  boundCertificate(der)
  return subjectValues(new x509.Pkcs10CertificateRequest(der))
}

function subjectValues(holder: x509.X509Certificate | x509.Pkcs10CertificateRequest): Values {
  return {
    // From the structure of the name, not its text: a name may contain text that looks like another field.
    cn: holder.subjectName.getField('CN').map(withoutControls).join(', '),
    altnamedns: dnsNames(holder.extensions),
    ...publicKeyValues(holder.publicKey),
  }
}

/** A name as text: separated as people write it, escaped as in RFC 4514 §2.4, in the order of the certificate. */
function nameText(name: x509.Name): string {
  return name
    .toJSON()
    .map((relative) =>
      Object.entries(relative)
        .flatMap(([type, values]) => values.map((value) => `${type}=${escaped(value)}`))
        .join(' + '),
    )
    .join(', ')
}

const escaped = (value: string): string =>
  withoutControls(value.replaceAll(/[,+"\\<>;]|^[ #]| $/g, (character) => `\\${character}`))

const withoutControls = (text: string): string =>
  text.replaceAll(/\p{Cc}/gu, (control) => `\\${control.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)

function dnsNames(extensions: readonly x509.Extension[]): string {
  const extension = extensions.find((one) => one instanceof x509.SubjectAlternativeNameExtension)
  const names = extension?.names.items.filter(({ type }) => type === 'dns') ?? []
  return names.map(({ value }) => withoutControls(value)).join(', ')
}

/** Key usages by bit (RFC 5280 §4.2.1.3), in OpenSSL's words. */
const usages = [
  'Digital Signature',
  'Non Repudiation',
  'Key Encipherment',
  'Data Encipherment',
  'Key Agreement',
  'Certificate Sign',
  'CRL Sign',
  'Encipher Only',
  'Decipher Only',
]

function usageText(extension: x509.KeyUsagesExtension | null): string {
  return usages.filter((_name, bit) => ((extension?.usages ?? 0) & (1 << bit)) !== 0).join(', ')
}

const keyNames: Readonly<Record<string, readonly [name: string, bits?: number]>> = {
  rsa: ['RSA'],
  'rsa-pss': ['RSA-PSS'],
  ec: ['EC'],
  dsa: ['DSA'],
  ed25519: ['Ed25519', 256],
  ed448: ['Ed448', 456],
  x25519: ['X25519', 256],
  x448: ['X448', 448],
}

/** A key type that Node does not know is named by its object identifier. */
function publicKeyValues({ rawData, algorithm }: x509.PublicKey): Values {
  try {
    const key = createPublicKey({ key: Buffer.from(rawData), format: 'der', type: 'spki' })
    const [name = '', bits] = keyNames[key.asymmetricKeyType ?? ''] ?? []
    return { algorithm: name, keylength: String(bits ?? bitsOf(key) ?? '') }
  } catch {
    return { algorithm: algorithm.name, keylength: '' }
  }
}

function bitsOf(key: KeyObject): number | undefined {
  const { modulusLength, namedCurve } = key.asymmetricKeyDetails ?? {}
  if (modulusLength !== undefined || namedCurve === undefined) return modulusLength
  // The first three digits in the name of a curve are its size (prime256v1).
  return Number(/\d{3}/.exec(namedCurve)?.[0]) || undefined
}
