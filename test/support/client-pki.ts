import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Paths of a certificate and its private key, both PEM. */
export interface Card {
  readonly certificate: string
  readonly key: string
}

export interface CardOptions {
  /** Extension lines for OpenSSL. Default: those of a usual card. */
  readonly extensions?: readonly string[]
  /** Start of validity, in milliseconds from now. */
  readonly validFromMs?: number
  readonly validForMs?: number
  /** Arguments of `openssl req` for a new key. */
  readonly newKey?: readonly string[]
  /** Path of a private key to certify instead of a new one. */
  readonly key?: string
  readonly digest?: string
}

const dayMs = 86_400_000
const ellipticKey = ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256']
export const cardExtensions = ['basicConstraints=CA:FALSE', 'keyUsage=digitalSignature', 'extendedKeyUsage=clientAuth']
export const caExtensions = ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign,cRLSign']

/** A CA for smartcards, kept by `openssl ca` in a folder of its own. */
export class ClientCa {
  readonly directory: string
  readonly certificate: string
  readonly key: string
  /** Path of the revocation list that `writeCrl` writes. */
  readonly crl: string
  #issued = 0

  /** A CA below `issuer`; without it a root CA. */
  constructor(subject = '/CN=Card CA/O=Example', issuer?: ClientCa, extensions: readonly string[] = caExtensions) {
    this.directory = mkdtempSync(join(tmpdir(), 'strongroom-ca-'))
    this.certificate = join(this.directory, 'ca.pem')
    this.key = join(this.directory, 'ca.key')
    this.crl = join(this.directory, 'ca.crl')
    mkdirSync(join(this.directory, 'issued'))
    writeFileSync(join(this.directory, 'index.txt'), '')
    writeFileSync(join(this.directory, 'index.txt.attr'), 'unique_subject = no\n')
    writeFileSync(join(this.directory, 'crlnumber'), '01\n')
    writeFileSync(join(this.directory, 'ca.cnf'), this.#settings())
    if (issuer === undefined) this.#makeRoot(subject, extensions)
    else this.#adopt(issuer.issue(subject, { extensions, validForMs: 3000 * dayMs }))
  }

  issue(subject: string, options: CardOptions = {}): Card {
    const {
      extensions = cardExtensions,
      validFromMs = -60_000,
      validForMs = 365 * dayMs,
      newKey = ellipticKey,
    } = options
    const base = join(this.directory, `card-${++this.#issued}`)
    const card = { certificate: `${base}.pem`, key: `${base}.key` }
    writeFileSync(`${base}.ext`, `${extensions.join('\n')}\n`)
    if (options.key === undefined) openssl('req', '-newkey', ...newKey, ...request(card.key, subject, base))
    else {
      copyFileSync(options.key, card.key)
      openssl('req', '-new', ...request(undefined, subject, base), '-key', card.key)
    }
    const from = Date.now() + validFromMs
    const dates = ['-startdate', opensslTime(from), '-enddate', opensslTime(from + validForMs)]
    const digest = options.digest === undefined ? [] : ['-md', options.digest]
    this.#ca(
      '-preserveDN',
      '-in',
      `${base}.csr`,
      '-extfile',
      `${base}.ext`,
      '-out',
      card.certificate,
      ...dates,
      ...digest,
    )
    return card
  }

  /**
   * A certificate for a public key (DER) whose private half is elsewhere. The key file in the result does not exist.
   */
  issueFor(subject: string, publicKey: string): Card {
    const base = join(this.directory, `card-${++this.#issued}`)
    const card = { certificate: `${base}.pem`, key: `${base}.key` }
    writeFileSync(`${base}.ext`, `${cardExtensions.join('\n')}\n`)
    openssl('pkey', '-pubin', '-inform', 'DER', '-in', publicKey, '-out', `${base}.pub`)
    const issuer = ['-CA', this.certificate, '-CAkey', this.key, '-days', '30']
    openssl(
      'x509',
      '-new',
      '-subj',
      subject,
      '-force_pubkey',
      `${base}.pub`,
      ...issuer,
      '-extfile',
      `${base}.ext`,
      '-out',
      card.certificate,
    )
    return card
  }

  revoke({ certificate }: Pick<Card, 'certificate'>): void {
    this.#ca('-revoke', certificate)
  }

  /** Replaces the revocation list in one step, as a fetching script should. It is valid for `seconds` from now. */
  writeCrl(seconds = 7 * 86_400, ...more: string[]): void {
    const fresh = `${this.crl}.new`
    this.#ca('-gencrl', '-crlsec', String(seconds), '-out', fresh, ...more)
    renameSync(fresh, this.crl)
  }

  /** Makes the CA forget everything that it issued. */
  forget(): void {
    writeFileSync(join(this.directory, 'index.txt'), '')
  }

  #ca(...args: string[]): void {
    openssl('ca', '-batch', '-notext', '-config', join(this.directory, 'ca.cnf'), ...args)
  }

  #makeRoot(subject: string, extensions: readonly string[]): void {
    const more = extensions.flatMap((line) => ['-addext', line])
    const days = ['-days', '3650']
    openssl(
      'req',
      '-x509',
      '-newkey',
      ...ellipticKey,
      '-nodes',
      '-keyout',
      this.key,
      '-out',
      this.certificate,
      '-subj',
      subject,
      ...days,
      ...more,
    )
  }

  #adopt({ certificate, key }: Card): void {
    copyFileSync(certificate, this.certificate)
    copyFileSync(key, this.key)
  }

  #settings(): string {
    return `[ca]
default_ca = cards
[cards]
database = ${this.directory}/index.txt
new_certs_dir = ${this.directory}/issued
rand_serial = yes
crlnumber = ${this.directory}/crlnumber
certificate = ${this.certificate}
private_key = ${this.key}
default_md = sha256
default_crl_days = 7
policy = any
crl_extensions = list
[any]
commonName = optional
organizationName = optional
organizationalUnitName = optional
countryName = optional
emailAddress = optional
[list]
authorityKeyIdentifier = keyid
`
  }
}

/** A self-signed certificate with the extensions of a card. */
export function selfSigned(directory: string, subject: string): Card {
  const card = { certificate: join(directory, 'self-signed.pem'), key: join(directory, 'self-signed.key') }
  const more = cardExtensions.flatMap((line) => ['-addext', line])
  openssl(
    'req',
    '-x509',
    '-newkey',
    ...ellipticKey,
    '-nodes',
    '-keyout',
    card.key,
    '-out',
    card.certificate,
    '-subj',
    subject,
    ...more,
  )
  return card
}

export const pemOf = ({ certificate }: Pick<Card, 'certificate'>): string => readFileSync(certificate, 'utf8')

export function openssl(...args: readonly string[]): string {
  return execFileSync('openssl', args, { encoding: 'utf8', stdio: 'pipe' })
}

function request(key: string | undefined, subject: string, base: string): string[] {
  // Only the given names: OpenSSL's own configuration would add its defaults.
  const names = ['-subj', subject, '-multivalue-rdn', '-utf8', '-out', `${base}.csr`]
  return key === undefined ? names : ['-nodes', '-keyout', key, ...names]
}

/** A time as YYYYMMDDHHMMSSZ. */
function opensslTime(ms: number): string {
  return `${new Date(ms).toISOString().replaceAll(/[-:T]|\..*/g, '')}Z`
}
