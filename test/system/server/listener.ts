import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { connect as connectTcp } from 'node:net'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import type { Log } from '../../../src/log.ts'
import { createLog } from '../../../src/log.ts'
import { createServer } from '../../../src/http/server/server.ts'
import type { ApplianceServer, ServerOptions } from '../../../src/http/server/server.ts'
import { makePki } from '../../support/pki.ts'
import type { Pki } from '../../support/pki.ts'

const silentLog: Log = createLog({ level: 'silent', name: 'test' })

export interface Listener {
  readonly server: ApplianceServer
  readonly port: number
  readonly pki: Pki
}

/** A real listener on a free port of 127.0.0.1. */
export async function givenListener(
  http: Partial<ServerOptions['http']>,
  handle: ServerOptions['handle'],
  log = silentLog,
): Promise<Listener> {
  const pki = makePki(mkdtempSync(join(tmpdir(), 'strongroom-server-')))
  const server = createServer({
    http: {
      host: '127.0.0.1',
      port: 0,
      acceptChunked: false,
      maxConnections: 100,
      maxConnectionsPerAddress: 100,
      proxies: [],
      answerTimeoutMs: 30_000,
      requestTimeoutMs: 30_000,
      keepAliveTimeoutMs: 75_000,
      drainTimeoutMs: 10_000,
      ...http,
    },
    tls: { minVersion: 'TLSv1.2' },
    readCertificate: () => ({ certificate: readFileSync(pki.certificate, 'utf8'), key: readFileSync(pki.key, 'utf8') }),
    handle,
    log,
  })
  return { server, pki, port: (await server.listen()).port }
}

/** The output of `command` on both streams, whatever its exit code. */
export function run(command: string, args: readonly string[], input = ''): Promise<string> {
  return new Promise((resolve) => {
    const child = execFile(command, args, { maxBuffer: 1 << 24 }, (_error, stdout, stderr) => resolve(stdout + stderr))
    // A refused client may end before it has read its input.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
  })
}

export const curl = ({ port, pki }: Listener, path: string, ...args: string[]): Promise<string> =>
  run('curl', [
    '--silent',
    '--show-error',
    '--include',
    '--max-time',
    '60',
    '--cacert',
    pki.ca,
    ...args,
    `https://localhost:${port}${path}`,
  ])

export const tcp = (listener: Listener): Socket => connectTcp(listener.port, '127.0.0.1')

export const tls = (listener: Listener, protocol = 'http/1.1'): Socket =>
  connectTls({
    port: listener.port,
    host: '127.0.0.1',
    servername: 'localhost',
    ca: readFileSync(listener.pki.ca),
    ALPNProtocols: [protocol],
  })

/** Everything that arrives on `socket` until the other side closes it. */
export function everything(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    socket.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')))
    socket.on('error', (error) => (text += error.message))
    socket.on('close', () => resolve(text))
  })
}

/** Parses an HTTP/1.1 answer. Throws when it is not one, or its body is not JSON of the announced length. */
export function parseAnswer(text: string): {
  status: number
  head: string
  body: { CALLINFO: { status: string }; ERRORS: string[]; ERRORCODES: object }
} {
  const [head = '', body = ''] = text.split('\r\n\r\n')
  const length = /^content-length: (\d+)\r?$/im.exec(head)?.[1]
  if (Number(length) !== body.length) throw new Error(`announced ${length} bytes, sent ${body.length}: ${text}`)
  return { status: Number(/^HTTP\/\S+ (\d+)/.exec(head)?.[1]), head, body: JSON.parse(body) }
}
