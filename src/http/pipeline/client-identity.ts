import type { IncomingMessage, IncomingHttpHeaders } from 'node:http'
import { type Socket, isIP } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { createAddressList } from '../../access/address-list.ts'
import { addressOf, type Client, type PresentedCertificate } from '../../access/caller.ts'
import { Fault } from '../../fault.ts'

/** The proxies in front that may forward a client's certificate, and the header they use. */
export interface ForwardingRules {
  /** IP addresses and ranges (192.0.2.0/24). */
  readonly proxies: readonly string[]
  readonly proxyHeader: string
}

/** Determines the client of a connection: its address and its certificate. */
export interface ClientIdentity {
  of(request: IncomingMessage): Client
  /**
   * Refuses a forwarded certificate from an address that is not a proxy: any client can send the header, in an attempt
   * to use another user's card.
   * @throws Fault `certificate.forwarded`
   */
  refuseForged(request: IncomingMessage): void
}

/** Headers of RFC 9440, besides the configured one: only proxies send these. */
const standardHeaders = ['client-cert', 'client-cert-chain']

/** Without rules, on an appliance without smartcards, no client has a certificate, and the headers are ignored. */
export function createClientIdentity(clientAddress: ClientAddress, rules: ForwardingRules | undefined): ClientIdentity {
  if (rules === undefined) {
    return {
      of: (request) => ({ address: clientAddress(request), certificate: () => undefined }),
      refuseForged() {},
    }
  }
  const header = rules.proxyHeader.toLowerCase()
  const headers = [header, ...standardHeaders]
  const isProxy = createAddressList(rules.proxies)
  const isForwarded = ({ socket }: IncomingMessage): boolean => isProxy(addressOf(socket.remoteAddress))
  return {
    of(request) {
      const certificate = (): PresentedCertificate | undefined =>
        // The certificate of the proxy's own connection does not identify the client; only the header does.
        isForwarded(request) ? readForwarded(request.headers[header]) : certificateOf(request.socket)
      return { address: clientAddress(request), certificate }
    },
    refuseForged(request) {
      if (headers.some((name) => request.headers[name] !== undefined) && !isForwarded(request))
        throw new Fault('certificate.forwarded')
    },
  }
}

/**
 * Read at each call. TLS sessions are not resumed: the certificate that node:tls reports for a resumed one is that of
 * an earlier connection.
 */
function certificateOf(socket: Socket | TLSSocket): PresentedCertificate | undefined {
  if (!('getPeerX509Certificate' in socket) || socket.isSessionReused()) return undefined
  const der = socket.getPeerX509Certificate()?.raw
  return der === undefined || der.length === 0 ? undefined : { der, isVerified: socket.authorized }
}

/** Determines the client's address in the form of `Client.address`. */
export type ClientAddress = (request: {
  readonly headers: IncomingHttpHeaders
  readonly socket: { readonly remoteAddress?: string | undefined }
}) => string

/**
 * The client's address. Each proxy appends the address of its client to X-Forwarded-For, and any client may have
 * written what precedes it. So the address is the last one that is none of `proxies`, searched backwards from the
 * connection. Where a proxy has appended no address, it is that of the proxy. From any other address the header is
 * ignored.
 */
export function createClientAddress(proxies: readonly string[]): ClientAddress {
  const isProxy = createAddressList(proxies)
  return ({ headers, socket }) => {
    let address = addressOf(socket.remoteAddress)
    const hops = proxies.length === 0 ? [] : hopsIn(headers)
    while (hops.length > 0 && isProxy(address)) {
      const hop = hops.pop() ?? ''
      if (isIP(hop) === 0) break
      address = addressOf(hop)
    }
    return address
  }
}

function hopsIn({ 'x-forwarded-for': header = [] }: IncomingHttpHeaders): string[] {
  return [header]
    .flat()
    .flatMap((line) => line.split(','))
    .map((hop) => hop.trim())
}

/** RFC 9440 §2.1: the DER as a byte sequence of structured fields (RFC 8941), base64 between colons. */
const byteSequence = /^:([A-Za-z0-9+/]+={0,2}):$/
// One pattern for all that stands between: patterns of blanks beside it would take cubic time.
const pem = /^-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----\s*$/

/**
 * Reads the certificate in the header of a trusted proxy: in the form of RFC 9440, or as PEM with percent-encoding. An
 * empty header means no certificate. Issuer, validity and revocation are checked at each use.
 * @throws Fault `request.invalid` for anything else, for two headers, and for a chain
 */
function readForwarded(header: string | string[] | undefined): PresentedCertificate | undefined {
  if (header === undefined || header === '') return undefined
  const text = typeof header === 'string' ? header : header.join(', ')
  const base64 = byteSequence.exec(text)?.[1] ?? pem.exec(unescaped(text))?.[1]
  if (base64 === undefined)
    throw new Fault(
      'request.invalid',
      'The forwarded certificate cannot be read: let the proxy send one, as RFC 9440 has it or as PEM with percent-encoding.',
    )
  return { der: Buffer.from(base64, 'base64'), isVerified: true }
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
