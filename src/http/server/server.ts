import { constants } from 'node:crypto'
import { createSecureServer, type Http2SecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { type SecureVersion, createSecureContext, type SecureContextOptions } from 'node:tls'
import { Fault } from '../../fault.ts'
import type { Log } from '../../log.ts'
import { mostConnectionsPerListener } from '../../open-files.ts'
import { transportOf } from '../contract/call-transport.ts'
import { createConnectionLimits, fitting, type ConnectionRules } from './connection-limits.ts'
import { trackConnections, type Connections } from './connections.ts'
import { answerMalformed } from './malformed-requests.ts'
import { refuse, refuseExpectation, type Request, type Response } from './refusals.ts'
import { createStalledAnswers, type StalledAnswers } from './stalled-answers.ts'
import { createTally } from './tally.ts'

const maxHeaderBytes = 16 * 1024
const handshakeTimeoutMs = 10_000

export interface ServerOptions {
  readonly http: ConnectionRules & {
    readonly host: string
    readonly port: number
    readonly acceptChunked: boolean
    readonly requestTimeoutMs: number
    readonly answerTimeoutMs: number
    readonly keepAliveTimeoutMs: number
    readonly drainTimeoutMs: number
  }
  readonly tls: { readonly minVersion: SecureVersion }
  /** Reads certificate and key: at the start, and at each reload. */
  readonly readCertificate: () => Certificate
  /**
   * The same for a listener that asks for client certificates. It accepts clients without one, or with a bad one, all
   * the same.
   */
  readonly readClientCertificates?: () => ClientCertificates
  /** Answers a call, for example Koa's callback. */
  readonly handle: (request: Request, response: Response) => unknown
  readonly log: Log
}

/** The HTTPS listener of the interface: HTTP/2 and HTTP/1.1, chosen by ALPN. */
export interface ApplianceServer {
  /** Resolves with the port once it accepts connections; rejects with the system's error (EADDRINUSE, EACCES …). */
  listen(): Promise<{ readonly port: number }>
  /**
   * Continues to serve, and makes each client open a new connection for its next call, which a load balancer sends
   * elsewhere.
   */
  leave(): void
  /**
   * Stops accepting connections, lets calls under way finish for at most `drainTimeoutMs`, and resolves when no
   * connection is left.
   */
  close(): Promise<void>
  /**
   * Uses the present certificate for new connections. One that cannot be used is reported, and the old one stays in
   * use.
   */
  reloadCertificate(): void
  /** What clients are shown now. */
  presented(): PresentedCertificate
}

export interface PresentedCertificate {
  /** In PEM form. */
  readonly certificate: string
  /** Whether the last reload found one that cannot be used. */
  readonly isNewRefused: boolean
}

/** @throws what `readCertificate` throws, and node:tls's error when certificate and key do not belong together */
export function createServer(options: ServerOptions): ApplianceServer {
  const { http, tls, readCertificate, readClientCertificates, log } = options
  let presented: PresentedCertificate
  const readContext = () => {
    const read = readCertificate()
    const context = secureContextOptions(read, tls.minVersion, readClientCertificates?.())
    presented = { certificate: read.certificate, isNewRefused: false }
    return context
  }
  const server = createSecureServer({
    ...readContext(),
    // A bad certificate is reported in an answer, not by aborting the handshake.
    ...(readClientCertificates && { requestCert: true, rejectUnauthorized: false }),
    allowHTTP1: true,
    // Default of http.Server but not of this one: without it, the first answer waits some 40 ms for the client to
    // acknowledge the handshake.
    noDelay: true,
    handshakeTimeout: handshakeTimeoutMs,
    // Few streams, and few refused ones: bounds what a client gains by opening and cancelling them (CVE-2023-44487).
    settings: { maxConcurrentStreams: 128, maxHeaderListSize: maxHeaderBytes },
    maxSessionInvalidFrames: 100,
    maxSessionRejectedStreams: 100,
  })
  limitHttp1(server, http)
  server.setTimeout(http.keepAliveTimeoutMs)
  const tally = createTally(log, 'connections had to make room: idle ones were closed, or new ones refused')
  const connections = trackConnections(
    server,
    createConnectionLimits(fitting(http, mostConnectionsPerListener()), (end, network) => tally.count(end, network)),
  )
  const stalled = createStalledAnswers(http.answerTimeoutMs)
  serveCalls(server, connections, stalled, options)
  answerMalformed(server, connections, log)

  return {
    listen: () => listen(server, http),
    leave: () => connections.leave(),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      connections.drain()
      const timer = setTimeout(() => connections.destroy(), http.drainTimeoutMs)
      await closed
      clearTimeout(timer)
      stalled.close()
      tally.close()
    },
    reloadCertificate() {
      try {
        server.setSecureContext(readContext())
        log.info('certificate read again')
      } catch (error) {
        presented = { ...presented, isNewRefused: true }
        log.error(
          { err: error },
          'the new certificate cannot be used, so the old one stays: correct tls.certificate and tls.key',
        )
      }
    },
    presented: () => presented,
  }
}

/** node:http2 takes these limits as properties, as http.Server has them, and passes them to its HTTP/1.1 part. */
function limitHttp1(server: Http2SecureServer, http: ServerOptions['http']): void {
  Object.assign(server, {
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: Math.min(10_000, http.requestTimeoutMs),
    requestTimeout: http.requestTimeoutMs,
    keepAliveTimeout: http.keepAliveTimeoutMs,
    connectionsCheckingInterval: 1_000,
    // Checked below, for all versions of Node.js alike: node:http itself would answer without the envelope.
    requireHostHeader: false,
  })
}

function listen(server: Http2SecureServer, { host, port }: ServerOptions['http']): Promise<{ port: number }> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a string only for unix sockets, null when closed
      resolve({ port: (server.address() as AddressInfo).port })
    })
  })
}

/** Passes calls on, except those that the interface forbids (spec: General rules, 4). */
function serveCalls(
  server: Http2SecureServer,
  connections: Connections,
  stalled: StalledAnswers,
  { http, handle }: ServerOptions,
): void {
  const begin = (request: Request, response: Response): boolean => {
    const ended = connections.begin(request, response)
    if (ended === undefined) return false
    const left = stalled.watch(response, transportOf(request))
    response.once('close', () => {
      ended()
      left()
    })
    return true
  }
  server.on('request', (request: Request, response: Response) => {
    if (!begin(request, response)) return
    // It arrived over HTTP/1.1 behind a call under way. HTTP/2 itself refuses what comes after GOAWAY (RFC 9113, 6.8).
    if (connections.draining) {
      return refuse(request, response, new Fault('appliance.stopping', undefined, { retryAfterMs: 1_000 }))
    }
    const chunked = request.httpVersionMajor === 1 && request.headers['transfer-encoding'] !== undefined
    if (chunked && !http.acceptChunked) return refuse(request, response, new Fault('request.length_required'))
    if (request.httpVersion === '1.1' && hostsOf(request) !== 1) {
      return refuse(
        request,
        response,
        new Fault('request.invalid', 'HTTP/1.1 asks for one Host header (RFC 9112, 3.2).'),
      )
    }
    if ('stream' in request) {
      if (headerListBytes(request) > maxHeaderBytes)
        return refuse(request, response, new Fault('request.header_too_large'))
      limitBodyTime(request, response, http.requestTimeoutMs)
    }
    handle(request, response)
  })
  for (const event of ['checkContinue', 'checkExpectation']) {
    server.on(event, (request: Request, response: Response) => {
      if (begin(request, response)) refuseExpectation(request, response)
    })
  }
}

/** Counts the Host headers: node:http shows only the first of several. */
function hostsOf({ rawHeaders }: Request): number {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts
}

/** What RFC 9113 §6.5.2 adds for each header, which is two of `rawHeaders`: its name and its value. */
const headerOverheadBytes = 32

/**
 * The size of the header list by the definition of SETTINGS_MAX_HEADER_LIST_SIZE: the limit that clients are told, of
 * which node:http2 accepts four times as much. The memory that headers take is another sum (`callBytes`).
 */
const headerListBytes = ({ rawHeaders }: Request): number =>
  rawHeaders.reduce((sum, { length }) => sum + length + headerOverheadBytes / 2, 0)

/** The counterpart of `requestTimeout` for HTTP/2: a body that arrives too slowly gets 408. */
function limitBodyTime(request: Extract<Request, { stream: unknown }>, response: Response, timeoutMs: number): void {
  const { stream } = request
  if (stream.endAfterHeaders) return
  const timer = setTimeout(() => {
    if (response.headersSent) return stream.close()
    // On the stream, since node:http2 reports a response as finished only when its stream has closed.
    stream.once('finish', () => stream.close())
    refuse(request, response, new Fault('request.timeout'))
  }, timeoutMs)
  stream.once('end', () => clearTimeout(timer))
  stream.once('close', () => clearTimeout(timer))
}

/** A certificate with its intermediates, and its private key, in PEM. */
export interface Certificate {
  readonly certificate: string
  readonly key: string
}

/** What a listener that asks for client certificates needs in addition. */
export interface ClientCertificates {
  /** PEM of the trusted CAs, and of the CAs between them and the clients' certificates; undefined: none is trusted. */
  readonly authorities: string | undefined
}

/**
 * Only forward secrecy and authenticated encryption; AES first, for processors that accelerate it (Mozilla's
 * "intermediate" list without DHE).
 */
const ciphers = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':')

/**
 * The options by which node:tls presents this certificate.
 * @throws where certificate and key are unusable or do not belong together
 */
export function secureContextOptions(
  { certificate, key }: Certificate,
  minVersion: SecureVersion,
  clients?: ClientCertificates,
): SecureContextOptions {
  const options = {
    cert: certificate,
    key,
    minVersion,
    ciphers,
    honorCipherOrder: true,
    ...(clients && forClients(clients)),
  }
  createSecureContext(options)
  return options
}

/**
 * Allows neither session resumption nor renegotiation (TLS 1.2): the first would bring back a verdict from before a
 * revocation, the second another certificate. Without authorities no issuer is trusted, not even the public CAs.
 */
function forClients({ authorities }: ClientCertificates): SecureContextOptions {
  return {
    ca: authorities ?? [],
    // A configured CA is trusted, whether or not it is self-signed.
    allowPartialTrustChain: true,
    secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
  }
}
