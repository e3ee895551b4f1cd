import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

/** `openssl ts` behind a small server: an RFC 3161 authority with its own CA. */
export class TimeStampAuthority {
  readonly ca: string
  readonly #folder: string
  readonly #server: Server

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true })
    this.#folder = folder
    this.ca = join(folder, 'tsa-ca.pem')
    const key = ['-newkey', 'rsa:2048', '-nodes', '-days', '30']
    const [caKey, request, certificate] = ['ca.key', 'tsa.csr', 'tsa.pem'].map((name) => join(folder, name))
    openssl('req', '-x509', ...key, '-keyout', caKey, '-out', this.ca, '-subj', '/CN=Time-stamp test CA')
    openssl('req', ...key.slice(0, 3), '-keyout', join(folder, 'tsa.key'), '-out', request, '-subj', '/CN=Time stamps')
    const extensions = join(folder, 'tsa.ext')
    writeFileSync(extensions, 'keyUsage=digitalSignature\nextendedKeyUsage=critical,timeStamping\n')
    const issue = ['-req', '-in', request, '-CA', this.ca, '-CAkey', caKey, '-extfile', extensions, '-out', certificate]
    openssl('x509', ...issue, '-days', '30')
    writeFileSync(join(folder, 'serial'), '01\n')
    writeFileSync(
      join(folder, 'tsa.conf'),
      `[tsa]\ndefault_tsa=one\n[one]\ndir=${folder}\nserial=${folder}/serial\nsigner_cert=${certificate}\nsigner_key=${folder}/tsa.key
certs=${this.ca}\nsigner_digest=sha256\ndefault_policy=1.2.3.4.1\ndigests=sha256\naccuracy=secs:1\nclock_precision_digits=3\n`,
    )
    this.#server = createServer((request, response) => {
      const pieces: Buffer[] = []
      request.on('data', (piece: Buffer) => pieces.push(piece))
      request.on('end', () => {
        response.setHeader('Content-Type', 'application/timestamp-reply')
        response.end(this.#reply(Buffer.concat(pieces)))
      })
    })
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server on TCP has such an address
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`
  }

  /** Whether openssl accepts this token of the CA for these bytes. */
  verifies(token: Buffer, data: string): boolean {
    const [file, text] = ['token.der', 'data.json'].map((name) => join(this.#folder, name))
    writeFileSync(file ?? '', token)
    writeFileSync(text ?? '', data)
    return openssl('ts', '-verify', '-token_in', '-in', file, '-data', text, '-CAfile', this.ca).includes('OK')
  }

  #reply(request: Buffer): Buffer {
    const [question, answer] = ['request.tsq', 'reply.tsr'].map((name) => join(this.#folder, name))
    writeFileSync(question ?? '', request)
    openssl('ts', '-reply', '-config', join(this.#folder, 'tsa.conf'), '-queryfile', question, '-out', answer)
    return readFileSync(answer ?? '')
  }

  stop(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}

function openssl(...args: (string | undefined)[]): string {
  return execFileSync(
    'openssl',
    args.filter((arg) => arg !== undefined),
    { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' },
  )
}
