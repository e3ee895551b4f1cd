import type { ClientRequest, IncomingMessage } from 'node:http'
import { Agent, request, type AgentOptions } from 'node:https'
import type { Transport } from './transport.ts'

/** What of TLS a program may want to say: the CA of the appliance, and a client certificate with its key, as PEM. */
export type TlsOptions = Pick<AgentOptions, 'ca' | 'cert' | 'key' | 'pfx' | 'passphrase' | 'servername' | 'minVersion'>

/** Bytes of a body that have gone out or come in, of how many. */
export type OnProgress = (done: number, total: number) => void

export interface NodeTransportOptions extends TlsOptions {
  /** Connections that are open at once; further calls wait for one. */
  readonly maxConnections?: number
  /** Called while the body of a request goes out, and while that of its answer comes in. */
  readonly onProgress?: OnProgress
}

/** Written at once: the connection's own buffer says when there is room for more. */
const pieceBytes = 65_536

/** The transport for Node.js: connections that stay open, a CA of its own, client certificates. */
export function nodeTransport({ maxConnections = 16, onProgress, ...tls }: NodeTransportOptions = {}): Transport {
  const agent = new Agent({ ...tls, keepAlive: true, maxSockets: maxConnections })
  return {
    send: ({ method, url, headers, body, signal }) =>
      new Promise((resolve, reject) => {
        const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
        const outgoing = request(url, { method, agent, headers: { ...headers, ...length }, signal }, (incoming) =>
          resolve({
            status: incoming.statusCode ?? 0,
            header: (name) => [incoming.headers[name]].flat()[0],
            text: () => textOf(incoming, onProgress),
          }),
        )
        outgoing.on('error', reject)
        if (onProgress === undefined) outgoing.end(body)
        else writeInPieces(outgoing, viewOf(body ?? ''), onProgress)
      }),
    close: () => agent.destroy(),
  }
}

/** Bytes stay where they are: a file may be a large part of what the program has. */
const viewOf = (body: string | Uint8Array<ArrayBuffer>): Buffer =>
  typeof body === 'string' ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.length)

function writeInPieces(outgoing: ClientRequest, content: Buffer, onProgress: OnProgress, at = 0): void {
  onProgress(at, content.length)
  if (at >= content.length) return void outgoing.end()
  const end = Math.min(at + pieceBytes, content.length)
  outgoing.write(content.subarray(at, end), () => writeInPieces(outgoing, content, onProgress, end))
}

async function textOf(incoming: IncomingMessage, onProgress: OnProgress | undefined): Promise<string> {
  const total = Number(incoming.headers['content-length'] ?? 0)
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of incoming as AsyncIterable<Buffer>) {
    pieces.push(piece)
    size += piece.length
    onProgress?.(size, Math.max(total, size))
  }
  if (!incoming.complete) throw new Error('The connection ended amid the answer.')
  return Buffer.concat(pieces).toString()
}
