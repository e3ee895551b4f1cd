import { BlockList, isIP, isIPv6 } from 'node:net'

/**
 * Tells whether an address is in `ranges`: IP addresses and ranges such as 192.0.2.0/24. False for a text that is not
 * an address.
 */
export function createAddressList(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/')
    if (prefix === undefined) list.addAddress(address, familyOf(address))
    else list.addSubnet(address, Number(prefix), familyOf(address))
  }
  return (address) => list.check(address, familyOf(address))
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4')

/**
 * Accepts `192.0.2.7` and `192.0.2.0/24`, likewise for IPv6, but no range of all addresses, which would trust every
 * client.
 */
export function isAddressRange(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/')
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0
  const inRange = prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= bits)
  return bits > 0 && inRange && more.length === 0
}
