import { z } from 'zod'
import { messageSchema } from '../../../http/contract/shared-fields.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { Objects } from '../object.ts'
import { existing, objectQuery } from '../read-records.ts'
import { objectParams } from './object-record.ts'

/** `DELETE /object/:objectid`: an object in which no others lie. */
export const deleteObject = (objects: Objects) =>
  endpoint({
    operation: 'object.delete',
    handler: 'ObjectHandler',
    method: 'DELETE',
    path: '/object/:objectid',
    summary: 'Delete an object',
    details: 'Objects that lie in it are to be deleted before. It cannot be taken back.',
    access: { kind: 'vault', permission: 'Write', resource: objectQuery },
    success: 200,
    faults: ['object.not_empty'],
    reply: { callinfo: messageSchema },
    params: objectParams,
    body: z.object({}),
    async run({ resource, caller, commit }) {
      await objects.remove(existing(resource).object, { userId: caller.userId, commit })
      return { callinfo: { message: 'DELETED' } }
    },
  })
