import { z } from 'zod'
import { isAddressRange } from '../access/address-list.ts'

// Shapes that several sections of the configuration share.

/** The path of a file or folder. */
export const path = z.string().min(1).meta({ format: 'path' })
export const whole = (min: number, max: number) => z.number().int().min(min).max(max)
export const positive = z.number().int().positive()
/** A port number; with 0 the system chooses one. */
export const port = whole(0, 65_535)
export const milliseconds = positive
/** An IP address or a range, for example `192.0.2.7` or `192.0.2.0/24`, likewise for IPv6. */
export const addressRange = z
  .string()
  .refine(isAddressRange, { error: 'must be an IP address or a range such as 192.0.2.0/24' })
