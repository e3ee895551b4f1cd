import { readFileSync } from 'node:fs'
import { once } from 'node:events'
import { connect as connectHttp2, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2'
import { Agent, request } from 'node:https'
import { connect as connectTcp } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type { TestAppliance } from './appliance.ts'
import { processesOf } from './fault-kit.ts'

/** The answer to a call of an attacker without a session. */
export interface Heard {
  /** 0 where the connection ended without an answer. */
  readonly status: number
  readonly headers: NodeJS.Dict<string | string[]>
  readonly bytes: number
  readonly text: string
}

/** An attacker's keep-alive connection over HTTP/1.1, from an address of his choice in 127.0.0.0/8. */
export function createStranger({ ca, url }: Pick<TestAppliance, 'ca' | 'url'>, localAddress = '127.0.0.1') {
  const agent = new Agent({ ca, keepAlive: true, maxSockets: 1, localAddress })
  return {
    call: (method: string, path: string, body?: string | Buffer, headers: Record<string, string> = {}) =>
      new Promise<Heard>((resolve) => {
        const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
        const outgoing = request(url + path, { method, agent, headers: { ...length, ...headers } }, (response) => {
          const pieces: Buffer[] = []
          const settle = (): void => {
            const text = Buffer.concat(pieces).toString('latin1')
            resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: text.length, text })
          }
          response.on('data', (piece: Buffer) => pieces.push(piece))
          response.once('close', settle)
        })
        outgoing.once('error', () => resolve({ status: 0, headers: {}, bytes: 0, text: '' }))
        outgoing.end(body)
      }),
    close: () => agent.destroy(),
  }
}

export type Stranger = ReturnType<typeof createStranger>

/** A connection over HTTP/2. Its errors are ignored. */
export async function http2Session(
  appliance: TestAppliance,
  settings: { readonly initialWindowSize?: number } = {},
): Promise<ClientHttp2Session> {
  const session = connectHttp2(new URL(appliance.url).origin, { ca: appliance.ca, settings })
  session.on('error', () => undefined)
  await once(session, 'remoteSettings')
  return session
}

/** A stream of such a connection. Its errors are ignored. The caller writes the body, where there is one. */
export function http2Stream(
  session: ClientHttp2Session,
  method: string,
  path: string,
  headers: Record<string, string> = {},
): ClientHttp2Stream {
  const stream = session.request(
    { ':method': method, ':path': `/api/1.0${path}`, ...headers },
    { endStream: method === 'GET' },
  )
  stream.on('error', () => undefined)
  return stream
}

/** A bare TLS connection for HTTP/1.1. Resolves to undefined when it is refused. */
export function tlsSocket({ url, ca }: TestAppliance, localAddress = '127.0.0.1'): Promise<TLSSocket | undefined> {
  const socket = connectTls({
    ca,
    servername: 'localhost',
    socket: connectTcp({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress }),
  })
  return new Promise((resolve) => {
    socket.once('secureConnect', () => resolve(socket))
    socket.once('close', () => resolve(undefined))
    socket.on('error', () => undefined)
  })
}

/** Resident memory of all workers together, in MiB. */
export function memoryMiB(appliance: TestAppliance): number {
  const kiB = processesOf(appliance).workers.map((pid) =>
    Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]),
  )
  return kiB.reduce((sum, one) => sum + one, 0) / 1024
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN
}
