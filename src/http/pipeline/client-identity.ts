import type { IncomingMessage, IncomingHttpHeaders } from 'node:http'
import { type Socket, isIP } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { createAddressList } from '../../access/address-list.ts'
import { addressOf, type Client, type PresentedCertificate } from '../../access/caller.ts'
import { Fault } from '../../fault.ts'

/** Which proxies in front may forward the certificate of a client, and in which header. */
export interface ForwardingRules {
  /** IP addresses and ranges (192.0.2.0/24). */
  readonly proxies: readonly string[]
  readonly proxyHeader: string
}

/** Identifies the client of a connection: its address and its certificate. */
export interface ClientIdentity {
  of(request: IncomingMessage): Client
  /**
   * Any client can write a header: from an address that is no proxy it is an attempt to claim another user's card.
   * @throws Fault `certificate.forwarded`
   */
  refuseForged(request: IncomingMessage): void
}

/** RFC 9440, beside the header that the configuration names: only a proxy has a use for these. */
const standardHeaders = ['client-cert', 'client-cert-chain']

/** Without rules, for an appliance without smartcards, no client has a certificate, and the headers mean nothing. */
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
        // The certificate of the proxy's own connection says nothing of the client; the header alone does.
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
 * Read for each call. A resumed TLS session has no certificate message: what node:tls then reports of the client is
 * from an earlier connection.
 */
function certificateOf(socket: Socket | TLSSocket): PresentedCertificate | undefined {
  if (!('getPeerX509Certificate' in socket) || socket.isSessionReused()) return undefined
  const der = socket.getPeerX509Certificate()?.raw
  return der === undefined || der.length === 0 ? undefined : { der, isVerified: socket.authorized }
}

/** Finds the address that a call comes from, in the form of `Client.address`. */
export type ClientAddress = (request: {
  readonly headers: IncomingHttpHeaders
  readonly socket: { readonly remoteAddress?: string | undefined }
}) => string

/**
 * Each proxy appends the address of its client to X-Forwarded-For; any client may have written what stands before that.
 * So the address is the last one that is none of `proxies`, read from the connection backwards. Where a proxy has
 * appended nothing that is an address, it is that proxy's own. From any other address the header means nothing.
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

/** RFC 9440 §2.1: DER as a byte sequence of structured fields (RFC 8941), base64 between colons. */
const byteSequence = /^:([A-Za-z0-9+/]+={0,2}):$/
const pem = /^-----BEGIN CERTIFICATE-----\s+([A-Za-z0-9+/\s]+={0,2})\s+-----END CERTIFICATE-----\s*$/

/**
 * The certificate in a header that a trusted proxy has written: as RFC 9440 has it, or as PEM with percent-encoding. An
 * empty header is no certificate. Its issuer, validity and revocation are checked again at each use.
 * @throws Fault `request.invalid` for anything else, two of them, or a chain
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
