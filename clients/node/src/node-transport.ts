import type { ClientRequest, IncomingMessage } from 'node:http'
import { Agent, request, type AgentOptions } from 'node:https'
import { SilenceError, type Transport } from './transport.ts'

/** Options for TLS: the CA of the appliance, and a client certificate with its key, in PEM. */
export type TlsOptions = Pick<AgentOptions, 'ca' | 'cert' | 'key' | 'pfx' | 'passphrase' | 'servername' | 'minVersion'>

/** Bytes of a body that have been sent or received, and its length. */
export type OnProgress = (done: number, total: number) => void

export interface NodeTransportOptions extends TlsOptions {
  /** The most open connections. Further calls wait. */
  readonly maxConnections?: number
  /** Milliseconds without a byte in either direction that end a call, which is not retried. Unlimited when absent. */
  readonly idleMs?: number
  /** Called during the upload of a request and the download of an answer. */
  readonly onProgress?: OnProgress
}

/** Bytes that are written at once. The connection then signals when it accepts more. */
const pieceBytes = 65_536

/** The transport for Node.js: persistent connections, the appliance's own CA, client certificates. */
export function nodeTransport({
  maxConnections = 16,
  idleMs,
  onProgress,
  ...tls
}: NodeTransportOptions = {}): Transport {
  checkPem('ca', tls.ca)
  checkPem('cert', tls.cert)
  // Said here, because NODE_TLS_REJECT_UNAUTHORIZED decides otherwise.
  const agent = new Agent({ ...tls, rejectUnauthorized: true, keepAlive: true, maxSockets: maxConnections })
  return {
    send: ({ method, url, headers, body, signal }) =>
      new Promise((resolve, reject) => {
        const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
        const options = { method, agent, headers: { ...headers, ...length }, signal }
        const outgoing = request(url, options, (incoming) =>
          resolve({
            status: incoming.statusCode ?? 0,
            header: (name) => [incoming.headers[name]].flat()[0],
            text: () => textOf(incoming, onProgress),
          }),
        )
        outgoing.on('error', reject)
        if (idleMs !== undefined) endWhenIdle(outgoing, idleMs)
        if (onProgress === undefined) outgoing.end(body)
        else writeInPieces(outgoing, viewOf(body ?? ''), onProgress)
      }),
    close() {
      // Connections in use end with their call. `agent.destroy` would break them, and a call that may have taken effect.
      agent.maxFreeSockets = 0
      for (const idle of Object.values(agent.freeSockets)) for (const socket of idle ?? []) socket.destroy()
    },
  }
}

function endWhenIdle(outgoing: ClientRequest, idleMs: number): void {
  outgoing.once('socket', (socket) => {
    const moved = (): number => socket.bytesRead + socket.bytesWritten
    // In a process that was stopped (Ctrl-Z) the timer ends before what has arrived meanwhile is read, and this after.
    const endUnlessMoved = (before: number): void => {
      if (moved() === before) outgoing.destroy(new SilenceError(`nothing was sent or received for ${idleMs} ms`))
    }
    const check = (): void => void setImmediate(endUnlessMoved, moved())
    socket.setTimeout(idleMs).on('timeout', check)
    outgoing.once('close', () => socket.setTimeout(0).off('timeout', check))
  })
}

/** @throws TypeError for a path, from which TLS takes no certificate, and says only that the CA is unknown */
function checkPem(name: 'ca' | 'cert', value: AgentOptions['ca']): void {
  for (const one of [value ?? []].flat())
    if (!String(one).includes('-----BEGIN'))
      throw new TypeError(`${name} is the content of a PEM file, and not its path.`)
}

/** Does not copy the bytes, because a file may take up much of the memory. */
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
