import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * The network by which clients are counted: an IPv4 address, or the /64 of an IPv6 address, because a client with one
 * address of a /64 has all of them (RFC 4291 §2.5.4). A text that is not an address is a network by itself.
 */
export function networkOf(address: string): string {
  if (isIPv4(address) || !ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString()
  const [a, b, c, d] = parsed.parts
  return `${new ipaddr.IPv6([a ?? 0, b ?? 0, c ?? 0, d ?? 0, 0, 0, 0, 0]).toString()}/64`
}
