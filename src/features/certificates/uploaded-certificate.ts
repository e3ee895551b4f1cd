import { Fault } from '../../fault.ts'
import { readCertificate, type Certificate } from './certificate.ts'
import { derTag } from '../../encoding/der.ts'
import { pemBlocks, type PemBlock } from '../../encoding/pem.ts'

/** The largest file that is read, in bytes. */
export const maxUploadBytes = 64 * 1024

const remedies: readonly (readonly [label: RegExp, sentence: string])[] = [
  [
    /PRIVATE KEY$/,
    'The file holds a private key, which must never leave its card or its owner: send only the certificate, and treat the key as lost.',
  ],
  [/CERTIFICATE REQUEST$/, 'This is a certificate signing request: send the certificate that the CA has made of it.'],
  [/^(X509 )?CRL$/, 'This is a revocation list: send the certificate of the user.'],
  [/^PKCS7$|^CMS$/, 'This is a PKCS#7 bundle: send the one certificate of the user as PEM.'],
  [/PUBLIC KEY$/, 'This is a public key: send the certificate of the user as PEM.'],
]

/**
 * The certificate in an uploaded PEM file, not validated yet.
 * @throws Fault `certificate.invalid`, with a sentence about what the file contains instead
 */
export function readUpload(content: Buffer): Certificate {
  if (content.length > maxUploadBytes)
    throw invalidCertificate(`The file is larger than ${maxUploadBytes} bytes: send one certificate as PEM.`)
  try {
    return readCertificate(onlyBlock(content).bytes)
  } catch (error) {
    if (error instanceof Fault) throw error
    throw invalidCertificate(
      'The certificate in the file is damaged, or has something behind it: have it exported again as PEM.',
    )
  }
}

function onlyBlock(content: Buffer): PemBlock {
  const text = content.toString('latin1').replace(/^\u00ef\u00bb\u00bf/, '')
  const blocks = pemBlocks(text)
  const first = blocks.find(({ label }) => label !== 'CERTIFICATE')
  if (first !== undefined) throw invalidCertificate(remedyFor(first.label))
  const [certificate] = blocks
  if (certificate === undefined) throw invalidCertificate(remedyWithoutBlock(content))
  if (blocks.length > 1)
    throw invalidCertificate(
      `The file holds ${blocks.length} certificates: send only that of the user. CAs go to smartcard.intermediates.`,
    )
  return certificate
}

function remedyFor(label: string): string {
  const known = remedies.find(([pattern]) => pattern.test(label))
  return known?.[1] ?? `The file holds a block "${label.slice(0, 40)}": send the one certificate of the user as PEM.`
}

function remedyWithoutBlock(content: Buffer): string {
  if (content.length === 0) return 'The file is empty: send the certificate of the user as PEM.'
  if (content[0] === derTag.sequence)
    return 'The file is DER or PKCS#12, not PEM: convert it, for example with "openssl x509 -inform DER -in card.cer".'
  return 'The file holds no certificate: PEM begins with -----BEGIN CERTIFICATE----- and is all there is to send.'
}

export const invalidCertificate = (sentence: string): Fault => new Fault('certificate.invalid', sentence)
