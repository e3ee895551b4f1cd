import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import { addressOf } from '../../access/caller.ts'
import { createAddressList } from './address-list.ts'

/** Finds the address that a call comes from, as `Peer` has it. */
export type ClientAddress = (request: {
  readonly headers: IncomingHttpHeaders
  readonly socket: { readonly remoteAddress?: string | undefined }
}) => string

/**
 * Each proxy adds at the end of X-Forwarded-For whom it heard; what stands before that, anybody may have written. So the address is
 * the last one that is none of `proxies`, read from the connection backwards; where one of them has written nothing that is an address,
 * it is that proxy's own. From anybody else the header means nothing.
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
