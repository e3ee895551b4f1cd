import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openssl, type Card, type ClientCa } from './client-pki.ts'

const policies = '/etc/chromium/policies/managed'

/** Only root can write the Chromium policy that picks the certificate. */
export const canPickCards = process.getuid?.() === 0

/**
 * Makes a home folder in `directory` whose Chromium has the card and trusts the server. `serverCa` is the path of a
 * file.
 */
export function homeWithCard(directory: string, { certificate, key }: Card, ca: ClientCa, serverCa: string): string {
  const home = join(directory, 'home')
  const store = join(home, '.pki/nssdb')
  mkdirSync(store, { recursive: true })
  const database = ['-d', `sql:${store}`]
  const file = join(directory, 'card.p12')
  const identity = ['-in', certificate, '-inkey', key, '-name', 'card']
  openssl('pkcs12', '-export', ...identity, '-passout', 'pass:x', '-out', file)
  execFileSync('certutil', [...database, '-N', '--empty-password'])
  execFileSync('certutil', [...database, '-A', '-n', 'server', '-t', 'C,,', '-i', serverCa])
  execFileSync('certutil', [...database, '-A', '-n', 'cards', '-t', 'T,,', '-i', ca.certificate])
  execFileSync('pk12util', [...database, '-i', file, '-W', 'x', '-K', ''])
  return home
}

/** Makes every Chromium present its card to this origin without a dialog. Returns a function that undoes it. */
export function pickCardFor(origin: string, name: string): () => void {
  const policy = join(policies, `strongroom-${name}-${process.pid}.json`)
  mkdirSync(policies, { recursive: true })
  const filter = JSON.stringify({ pattern: origin, filter: {} })
  writeFileSync(policy, JSON.stringify({ AutoSelectCertificateForUrls: [filter] }))
  return () => rmSync(policy, { force: true })
}
