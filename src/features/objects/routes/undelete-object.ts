import { Fault } from '../../../fault.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { idText } from '../../../http/contract/shared-fields.ts'
import type { Trash } from '../trash.ts'
import { trashedQuery } from '../trash-records.ts'
import { objectParams, relocatedSchema } from './object-record.ts'

/** `POST /object/:objectid/undelete`: restores an object from the trash, with all that was deleted with it. */
export const undeleteObject = (trash: Trash) =>
  endpoint({
    operation: 'object.undelete',
    handler: 'ObjectHandler',
    method: 'POST',
    path: '/object/:objectid/undelete',
    summary: 'Take a deleted object back',
    details:
      'With all that was deleted with it, as long as its time has not passed. It goes back to where it was, or to the root of its vault if its parent is gone.',
    access: { kind: 'vault', permission: 'Write', resource: trashedQuery },
    reply: {
      callinfo: relocatedSchema.extend({
        parentid: idText('Id of the object in which it lies, 0 in the root of the vault.'),
      }),
    },
    params: objectParams,
    async run({ resource, caller, commit }) {
      if (resource === undefined) throw new Fault('object.not_found')
      const { parentId, objects } = await trash.takeBack(resource, { userId: caller.userId, commit })
      return {
        callinfo: {
          objectid: String(resource.id),
          parentid: String(parentId),
          objects: String(objects),
          message: 'Object taken back',
        },
      }
    },
  })
