import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Files made by common tools, in a folder of their own. */
export interface Samples {
  readonly directory: string
  path(name: string): string
  read(name: string): Buffer
  write(name: string, content: Buffer | string): Buffer
  openssl(...args: string[]): string
  run(command: string, ...args: string[]): string
  cleanup(): void
}

export function makeSamples(): Samples {
  const directory = mkdtempSync(join(tmpdir(), 'strongroom-samples-'))
  const path = (name: string): string => join(directory, name)
  const run = (command: string, ...args: string[]): string =>
    execFileSync(command, args, {
      cwd: directory,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { PATH: process.env['PATH'] ?? '', GNUPGHOME: directory, LANG: 'C.UTF-8' },
    })
  return {
    directory,
    path,
    read: (name) => readFileSync(path(name)),
    write(name, content) {
      writeFileSync(path(name), content)
      return Buffer.from(content)
    },
    openssl: (...args) => run('openssl', ...args),
    run,
    cleanup: () => rmSync(directory, { recursive: true, force: true }),
  }
}

export const subject = '/C=SE/O=Example, Inc. "Ö"/OU=One/OU=Two/CN=www.example.test'

/** Arguments of OpenSSL for each kind of key pair. */
export const keyKinds: Readonly<Record<string, readonly string[]>> = {
  'rsa-2048': ['-newkey', 'rsa:2048'],
  'rsa-1028': ['-newkey', 'rsa:1028'],
  'rsa-pss': ['-newkey', 'rsa-pss', '-pkeyopt', 'rsa_keygen_bits:2048'],
  'ec-p256': ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
  'ec-p384': ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-384'],
  'ec-p521': ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-521'],
  'ec-k256': ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:secp256k1'],
  ed25519: ['-newkey', 'ed25519'],
  ed448: ['-newkey', 'ed448'],
}

/** Makes `<name>.pem`, a certificate, and `<name>.key`, its key as PKCS#8. */
export function makeCertificate(samples: Samples, name: string, kind: readonly string[], ...more: string[]): Buffer {
  const named = more.includes('-subj') ? [] : ['-subj', subject]
  samples.openssl(
    'req',
    '-x509',
    '-nodes',
    '-utf8',
    '-days',
    '30',
    ...kind,
    ...named,
    ...more,
    '-keyout',
    `${name}.key`,
    '-out',
    `${name}.pem`,
  )
  return samples.read(`${name}.pem`)
}
