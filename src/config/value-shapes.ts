import { z } from 'zod'
import { isAddressRange } from '../access/address-list.ts'

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
