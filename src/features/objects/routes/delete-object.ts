import { z } from 'zod'
import { messageSchema } from '../../../http/contract/shared-fields.ts'
import { endpoint, flag } from '../../../http/contract/endpoint.ts'
import type { Objects } from '../object.ts'
import { existing, objectQuery } from '../read-records.ts'
import type { Trash } from '../trash.ts'
import { objectParams } from './object-record.ts'

/** `DELETE /object/:objectid`: moves an object to the trash of its vault. */
export const deleteObject = (objects: Objects, trash: Trash) =>
  endpoint({
    operation: 'object.delete',
    handler: 'ObjectHandler',
    method: 'DELETE',
    path: '/object/:objectid',
    summary: 'Delete an object',
    details:
      'It goes into the trash of its vault, from where it can be taken back until its recovery window has passed (the setting `objects.recoveryWindowMs`). With others in it, it is refused without `children`; they go with it, and come back with it.',
    access: { kind: 'vault', permission: 'Write', resource: objectQuery },
    faults: ['object.not_empty', 'object.invalid'],
    reply: { callinfo: messageSchema },
    params: objectParams,
    body: z.object({
      children: flag
        .describe(
          'Whether all that lies in it is deleted with it: 500 objects at most, with 32 MiB of open fields, of which a search looks through 1 MiB.',
        )
        .default(false),
    }),
    async run({ body: { children }, resource, caller, commit, note }) {
      const { object } = existing(resource)
      const by = { userId: caller.userId, commit }
      if (children) note({ target: `object ${object.id}: with what lies in it` })
      if (children) await trash.putWhole(object, by)
      else await objects.remove(object, by)
      return { callinfo: { message: 'DELETED' } }
    },
  })
