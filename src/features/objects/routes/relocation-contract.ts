import type { ObjectInVault } from '../read-records.ts'
import { objectParams, relocatedSchema } from './object-record.ts'

/** What copying and moving have in common. */
export const relocationContract = {
  handler: 'ObjectHandler',
  method: 'POST',
  success: 200,
  faults: ['object.invalid', 'object.parent_unknown', 'object.tampered', 'object.key_exhausted'],
  reply: { callinfo: relocatedSchema },
  params: objectParams,
} as const

interface Found {
  readonly resource?: ObjectInVault | undefined
}

/** What is encrypted anew: an object by itself costs little. */
export const relocationsOf = ({ resource }: Found): 'relocations' | undefined =>
  resource?.object.file || resource?.object.children ? 'relocations' : undefined

/** The vault into which something goes, where the call names another. */
export const intoVault = { member: 'groupid', permission: 'Write' } as const
