import { endpoint } from '../../../http/contract/endpoint.ts'
import type { Tags } from '../tags.ts'
import { idOfObject } from './object-record.ts'
import { ownMarksEndContract } from './own-marks-contract.ts'

/** `DELETE /object/:objectid/tags`: also of an object that the caller may read no longer. */
export const clearTags = (kept: Tags) =>
  endpoint({
    ...ownMarksEndContract,
    operation: 'object.tags.clear',
    path: '/object/:objectid/tags',
    summary: 'Take away the tags of the caller for an object',
    details:
      'With no right in the vault: it is told by the tags of the caller alone whether there is something to take away, and nothing of the object.',
    async run({ params, caller, commit }) {
      await kept.clear(idOfObject(params.objectid), { userId: caller.userId, commit })
      return { callinfo: { message: 'Tags cleared' } }
    },
  })
