import { execFileSync } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Paths of PEM files. */
export interface Pki {
  readonly ca: string
  readonly caKey: string
  readonly certificate: string
  readonly key: string
}

const commonName = 'strongroom-test-pki'

/** The common CA of the tests' appliances and clients. */
export const commonPki = (): Pki => makePki(join(tmpdir(), commonName))

/**
 * An option that makes Chromium trust the certificate of the appliances. With `ignoreHTTPSErrors` it would restart each
 * request, some of them too often (ERR_TOO_MANY_RETRIES).
 */
export function trustingAppliances(): string {
  const { publicKey } = new X509Certificate(readFileSync(commonPki().certificate))
  const key = publicKey.export({ type: 'spki', format: 'der' })
  return `--ignore-certificate-errors-spki-list=${createHash('sha256').update(key).digest('base64')}`
}

/**
 * Makes a private CA and a server certificate for localhost and 127.0.0.1 by openssl, or copies the common ones. Files
 * in `directory` are kept.
 */
export function makePki(directory: string): Pki {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const pki = {
    ca: join(directory, 'ca.pem'),
    caKey: join(directory, 'ca.key'),
    certificate: join(directory, 'server.pem'),
    key: join(directory, 'server.key'),
  }
  const common = join(tmpdir(), commonName)
  if (!existsSync(pki.ca) && existsSync(join(common, 'server.pem'))) cpSync(common, directory, { recursive: true })
  if (!existsSync(pki.ca)) {
    openssl(
      'req',
      '-x509',
      ...newKey,
      '-keyout',
      pki.caKey,
      '-out',
      pki.ca,
      '-days',
      '30',
      '-subj',
      '/CN=Strongroom test CA',
    )
  }
  if (!existsSync(pki.certificate)) issueCertificate(pki, 'localhost')
  return pki
}

/** Issues a server certificate with a new key, in place of the one in `pki`. */
export function issueCertificate(pki: Pki, commonName: string): void {
  const request = `${pki.certificate}.csr`
  const extensions = `${pki.certificate}.ext`
  writeFileSync(extensions, 'subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth\n')
  openssl('req', ...newKey, '-keyout', pki.key, '-out', request, '-subj', `/CN=${commonName}`)
  openssl(
    'x509',
    '-req',
    '-in',
    request,
    '-CA',
    pki.ca,
    '-CAkey',
    pki.caKey,
    '-days',
    '30',
    '-extfile',
    extensions,
    '-out',
    pki.certificate,
  )
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

function openssl(...args: string[]): void {
  execFileSync('openssl', args, { stdio: 'pipe' })
}
