import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { addressOf, type Client, type PresentedCertificate } from '../../access/caller.ts'
import { Fault } from '../../fault.ts'
import { createAddressList } from './address-list.ts'
import type { ClientAddress } from './client-address.ts'
import { readForwarded } from './forwarded.ts'

/** Which proxies in front may forward the certificate of a client, and in which header. */
export interface ForwardingRules {
  /** IP addresses and ranges (192.0.2.0/24). */
  readonly proxies: readonly string[]
  readonly proxyHeader: string
}

/** Knows the other side of a connection. */
export interface ClientIdentity {
  of(request: IncomingMessage): Client
  /**
   * Anybody can write a header: from an address that is no proxy it is an attempt to pass as somebody else.
   * @throws Fault `certificate.forwarded`
   */
  refuseForged(request: IncomingMessage): void
}

/** RFC 9440, whatever header the configuration names: nobody but a proxy has use for these. */
const standardHeaders = ['client-cert', 'client-cert-chain']

/** Without rules, for an appliance without smartcards, nobody has a certificate, and the headers mean nothing. */
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
        // A proxy's own certificate is its own: of what comes from there, the header alone speaks of the client.
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
 * Looked at anew for each call. A resumed TLS session has no certificate message: what node:tls then tells of the client is of
 * another time.
 */
function certificateOf(socket: Socket | TLSSocket): PresentedCertificate | undefined {
  if (!('getPeerX509Certificate' in socket) || socket.isSessionReused()) return undefined
  const der = socket.getPeerX509Certificate()?.raw
  return der === undefined || der.length === 0 ? undefined : { der, isVerified: socket.authorized }
}
