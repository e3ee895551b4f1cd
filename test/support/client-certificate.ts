import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Pki } from './pki.ts'

/** Issues a client certificate of this authority. Returns the paths of certificate and key, in this folder. */
export function issueClientCertificate(folder: string, { ca, caKey }: Pki): { certificate: string; key: string } {
  const [certificate, key, request, extensions] = ['client.pem', 'client.key', 'client.csr', 'client.ext'].map((name) =>
    join(folder, name),
  ) as [string, string, string, string]
  writeFileSync(extensions, 'extendedKeyUsage=clientAuth\n')
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' })
  const pair = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key]
  openssl('req', ...pair, '-out', request, '-subj', '/CN=strongroom')
  const issue = ['-req', '-in', request, '-CA', ca, '-CAkey', caKey, '-days', '30', '-extfile', extensions]
  openssl('x509', ...issue, '-out', certificate)
  return { certificate, key }
}
