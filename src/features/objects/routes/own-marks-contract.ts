import { z } from 'zod'
import { message } from '../../../http/contract/shared-fields.ts'
import { objectQuery } from '../read-records.ts'
import { objectParams, savedSchema } from './object-record.ts'

/** What setting a favourite and setting tags have in common: both are of the caller alone. */
export const ownMarksContract = {
  handler: 'ObjectHandler',
  method: 'PUT',
  access: { kind: 'vault', permission: 'Read', resource: objectQuery },
  scopedUse: 'object.read',
  success: 200,
  faults: ['object.invalid'],
  reply: { callinfo: savedSchema },
  params: objectParams,
} as const

/** What taking them away has in common. It needs no right in the vault: the object may be out of reach by now. */
export const ownMarksEndContract = {
  handler: 'ObjectHandler',
  method: 'DELETE',
  access: { kind: 'session' },
  success: 200,
  faults: ['object.not_found'],
  reply: { callinfo: z.object({ message }) },
  params: objectParams,
  body: z.object({}),
} as const
