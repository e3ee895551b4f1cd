import { messageSchema } from '../../../http/contract/shared-fields.ts'
import { objectQuery } from '../read-records.ts'
import { objectParams, savedSchema } from './object-record.ts'

/** The common part of the contracts that set favourites and tags. Both belong to the caller alone. */
export const ownMarksContract = {
  handler: 'ObjectHandler',
  method: 'PUT',
  access: { kind: 'vault', permission: 'Read', resource: objectQuery },
  scopedUse: 'object.read',
  faults: ['object.invalid'],
  reply: { callinfo: savedSchema },
  params: objectParams,
} as const

/**
 * The common part of the contracts that remove them. It needs no right in the vault, which the caller may have lost.
 */
export const ownMarksEndContract = {
  handler: 'ObjectHandler',
  method: 'DELETE',
  access: { kind: 'session' },
  faults: ['object.not_found'],
  reply: { callinfo: messageSchema },
  params: objectParams,
} as const
