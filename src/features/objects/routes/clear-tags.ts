import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { message } from '../../../http/contract/shared-fields.ts'
import type { Tags } from '../tags.ts'
import { idOfObject, objectParams } from './object-record.ts'

/** `DELETE /object/:objectid/tags`: also of an object that the caller may read no longer. */
export const clearTags = (kept: Tags) =>
  endpoint({
    operation: 'object.tags.clear',
    handler: 'ObjectHandler',
    method: 'DELETE',
    path: '/object/:objectid/tags',
    summary: 'Take away the tags of the caller for an object',
    details:
      'With no right in the vault: it is told by the tags of the caller alone whether there is something to take away, and nothing of the object.',
    access: { kind: 'session' },
    success: 200,
    faults: ['object.not_found'],
    reply: { callinfo: z.object({ message }) },
    params: objectParams,
    body: z.object({}),
    async run({ params, caller, commit }) {
      await kept.clear(idOfObject(params.objectid), { userId: caller.userId, commit })
      return { callinfo: { message: 'Tags cleared' } }
    },
  })
