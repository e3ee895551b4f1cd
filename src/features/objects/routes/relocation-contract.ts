import type { ObjectInVault } from '../read-records.ts'
import { objectParams, relocatedSchema } from './object-record.ts'

/** The common part of the contracts of copying and moving. */
export const relocationContract = {
  handler: 'ObjectHandler',
  method: 'POST',
  faults: ['object.invalid', 'object.parent_unknown', 'object.tampered', 'object.key_exhausted'],
  reply: { callinfo: relocatedSchema },
  params: objectParams,
} as const

interface Found {
  readonly resource?: ObjectInVault | undefined
}

/** The quota under which a call falls that encrypts objects again. A single object is cheap and falls under none. */
export const relocationsOf = ({ resource }: Found): 'relocations' | undefined =>
  resource?.object.file || resource?.object.children ? 'relocations' : undefined

/** The destination vault, where the call names another than the object's own. */
export const intoVault = { member: 'groupid', permission: 'Write' } as const
