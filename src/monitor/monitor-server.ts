import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createConnectionPlaces } from './connection-places.ts'

export interface MonitorPage {
  readonly status: number
  readonly contentType: string
  readonly content: string
}

export interface MonitorServer {
  /** Resolves with the port; rejects as node:net does. */
  listen(address: { readonly host: string; readonly port: number }): Promise<number>
  close(): Promise<void>
}

/** Scrapers and load balancers need one each, for some milliseconds. */
const mostConnections = 64
const patienceMs = 5_000
/** Answers in a second, all clients together: further ones wait for the next. */
const mostAnswers = 100

/**
 * A plain HTTP server of a few pages. A stranger who reaches it costs next to nothing: bodies are not read, connections
 * are few and short-lived, and so are answers; for a new connection another one is closed, so strangers who hold
 * theirs keep no scraper out. Nor does one who asks on and on: of each connection one request waits at a time.
 */
export function createMonitorServer(pages: ReadonlyMap<string, () => Promise<MonitorPage>>): MonitorServer {
  const places = createConnectionPlaces(mostConnections)
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
  server.on('connection', (socket) => places.add(socket))

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket } = request
    // No scraper asks again before it is answered (RFC 9112 §9.3.2 lets clients do so).
    if (asking.has(socket)) return void socket.destroy()
    asking.add(socket)
    places.use(socket)
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
        places.closeAll()
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

/** Lets so many pass in a second; each of the others waits for the second in which it may, unless it is gone by then. */
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
