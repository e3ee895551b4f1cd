import type { ObjectInVault } from '../read-records.ts'
import { objectParams, relocatedSchema } from './object-record.ts'

/** What copying and moving have in common. */
export const relocationContract = {
  handler: 'ObjectHandler',
  method: 'POST',
  success: 200,
  faults: ['object.invalid', 'object.parent_unknown', 'object.tampered', 'object.key_exhausted'],
  quota: ({ resource }: { readonly resource?: ObjectInVault | undefined }) =>
    resource?.object.file || resource?.object.children ? 'relocations' : undefined,
  reply: { callinfo: relocatedSchema },
  params: objectParams,
} as const

/** The vault into which something goes, where the call names another. */
export const intoVault = { member: 'groupid', permission: 'Write' } as const
