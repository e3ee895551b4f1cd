import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createConnectionLimit } from './connection-limit.ts'

export interface MonitorPage {
  readonly status: number
  readonly contentType: string
  readonly content: string
}

export interface MonitorServer {
  /** Resolves to the port; rejects with the errors of node:net. */
  listen(address: { readonly host: string; readonly port: number }): Promise<number>
  close(): Promise<void>
}

/** Each scraper or load balancer needs one connection for a few milliseconds. */
const mostConnections = 64
const patienceMs = 5_000
/** Most answers per second for all clients together; further requests wait for the next second. */
const mostAnswers = 100

/**
 * A plain HTTP server of a few pages, which is cheap under attack: it reads no bodies and limits connections, their
 * lifetime and answers. For each new connection above the limit it closes another one, so that an attacker who holds
 * many cannot keep scrapers out. Each connection may have one waiting request.
 */
export function createMonitorServer(pages: ReadonlyMap<string, () => Promise<MonitorPage>>): MonitorServer {
  const connections = createConnectionLimit(mostConnections)
  const asking = new Set<Socket>()
  const wait = createTurns()
  const server = createServer(
    {
      maxHeaderSize: 4_096,
      headersTimeout: patienceMs,
      requestTimeout: patienceMs,
      keepAliveTimeout: patienceMs,
      connectionsCheckingInterval: 1_000,
    },
    (request, response) => void answer(request, response).catch(() => response.destroy()),
  )
  server.maxRequestsPerSocket = 100
  server.on('connection', (socket) => connections.add(socket))

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket } = request
    // Scrapers do not pipeline requests, though RFC 9112 §9.3.2 allows it.
    if (asking.has(socket)) return void socket.destroy()
    asking.add(socket)
    connections.use(socket)
    response.once('close', () => asking.delete(socket))
    await wait(() => socket.destroyed)
    if (socket.destroyed) return
    const page = pages.get((request.url ?? '').split('?', 1)[0] ?? '')
    if (page === undefined) return send(response, plain(404, `There are ${[...pages.keys()].join(', ')} here.`))
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD')
      return send(response, plain(405, 'There is only GET here.'))
    }
    send(response, await page())
  }

  return {
    listen: ({ host, port }) =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen({ host, port }, () => {
          server.off('error', reject)
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a string only for unix sockets, null when closed
          resolve((server.address() as AddressInfo).port)
        })
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        connections.closeAll()
      }),
  }
}

const plain = (status: number, sentence: string): MonitorPage => ({
  status,
  contentType: 'text/plain; charset=utf-8',
  content: `${sentence}\n`,
})

function send(response: ServerResponse, { status, contentType, content }: MonitorPage): void {
  response.writeHead(status, {
    'Content-Type': contentType,
    'Content-Length': Buffer.byteLength(content),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  })
  response.end(content)
}

/**
 * Lets `mostAnswers` requests pass per second. Each further one waits for the next second with a free turn, unless its
 * connection is closed by then.
 */
function createTurns(): (isGone: () => boolean) => Promise<void> {
  let second = 0
  let passed = 0
  return async (isGone) => {
    for (let now = Math.floor(performance.now() / 1000); !isGone(); now = Math.floor(performance.now() / 1000)) {
      if (now > second) [second, passed] = [now, 0]
      passed += 1
      if (passed <= mostAnswers) return
      await new Promise((resolve) => setTimeout(resolve, 1_000 - (performance.now() % 1_000)))
    }
  }
}
