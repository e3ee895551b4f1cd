import { endpoint } from '../../../http/contract/endpoint.ts'
import type { Tags } from '../tags.ts'
import { idOfObject } from './object-record.ts'
import { ownMarksEndContract } from './own-marks-contract.ts'

/** `DELETE /object/:objectid/tags`: works for an object that the caller may not read any more, too. */
export const clearTags = (kept: Tags) =>
  endpoint({
    ...ownMarksEndContract,
    operation: 'object.tags.clear',
    path: '/object/:objectid/tags',
    summary: 'Take away the tags of the caller for an object',
    details:
      'Needs no right in the vault: the answer depends only on the tags of the caller, and tells nothing of the object.',
    async run({ params, caller, commit }) {
      await kept.clear(idOfObject(params.objectid), { userId: caller.userId, commit })
      return { callinfo: { message: 'Tags cleared' } }
    },
  })
