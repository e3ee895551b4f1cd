import { X509Certificate } from 'node:crypto'
import { enabledSmartcard, type Config } from '../../config/schema.ts'
import { pemBlocks } from '../../encoding/pem.ts'
import { reloadOnChange } from '../../features/certificates/reloaded-file.ts'
import { readRevocationLists } from '../../features/certificates/revocation-list.ts'

/**
 * Expiry times of the configured certificates and revocation lists, in milliseconds since the Unix epoch; the earliest
 * of each file. A file is read again when it changes; one that cannot be used is left out.
 */
export function createCertificateEnds(config: Config): () => Record<string, number> {
  const smartcard = enabledSmartcard(config)
  const files = [
    { name: 'server', file: reloadOnChange(config.tls.certificate, endOfCertificates, ignore) },
    ...optional('client-ca', smartcard?.clientCa),
    ...optional('client-intermediates', smartcard?.intermediates),
    ...optional('passkey-makers', config.login.webauthn?.attestation?.ca),
    ...(smartcard?.crls ?? []).map((path, at) => ({
      name: `revocation-list-${at + 1}`,
      file: reloadOnChange(path, endOfLists, ignore),
    })),
  ]
  return () =>
    Object.fromEntries(
      files.flatMap(({ name, file }) => {
        const end = file.current()
        return end === undefined ? [] : [[name, end]]
      }),
    )
}

const optional = (name: string, path: string | undefined) =>
  path === undefined ? [] : [{ name, file: reloadOnChange(path, endOfCertificates, ignore) }]

// The users of the files report their problems.
const ignore = (): void => {}

/** The labels of certificates that OpenSSL reads; its own one has settings of trust after the certificate. */
const ofCertificate = /^(?:TRUSTED |X509 )?CERTIFICATE$/

/** The earliest end of the certificates in PEM form. @throws RangeError where there is none */
export function endOfCertificates(content: Buffer): number {
  const certificates = pemBlocks(content.toString('latin1')).filter(({ label }) => ofCertificate.test(label))
  return first(certificates.map(({ bytes }) => Date.parse(new X509Certificate(bytes).validTo)))
}

const endOfLists = (content: Buffer): number => first(readRevocationLists(content).map(({ nextUpdate }) => nextUpdate))

function first(ends: readonly number[]): number {
  if (ends.length === 0) throw new RangeError('the file holds nothing that ends')
  return Math.min(...ends)
}
