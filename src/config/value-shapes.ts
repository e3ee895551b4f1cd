import { isIP } from 'node:net'
import { z } from 'zod'

// What several sections of the configuration are made of.

/** Of a file or folder. */
export const path = z.string().min(1).meta({ format: 'path' })
/** 0 lets the system choose one. */
export const port = z.number().int().min(0).max(65_535)
export const milliseconds = z.number().int().positive()
/** `192.0.2.7` or `192.0.2.0/24`, likewise for IPv6. */
export const addressRange = z
  .string()
  .refine(isAddressRange, { error: 'must be an IP address or a range such as 192.0.2.0/24' })

/** A range of all addresses is none: it would trust everybody. */
function isAddressRange(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/')
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0
  const inRange = prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= bits)
  return bits > 0 && inRange && more.length === 0
}
