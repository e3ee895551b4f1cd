import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { existing } from '../read-records.ts'
import { longestTag, mostTags, tagKey, type Tags } from '../tags.ts'
import { ownMarksContract } from './own-marks-contract.ts'

const tag = z
  .string()
  // Before it is normalized, which takes time that grows with the square of the length of a text of nothing but accents.
  // No character of NFC is made of more than four.
  .refine((text) => text.length <= 4 * longestTag, { error: `must have ${longestTag} characters at most`, abort: true })
  .normalize('NFC')
  .trim()
  .min(1)
  .regex(/^(?=.*[^\p{C}\p{Z}])\P{Cc}*$/u, 'must have something to see, and no control characters')
  .max(longestTag)
  .describe('A tag: a word or a few. Space around it is left out.')

const tags = z
  .array(tag)
  .max(mostTags)
  .refine((all) => new Set(all.map(tagKey)).size === all.length, 'must not hold a tag twice, in whatever case')

/** `PUT /object/:objectid/tags`: the caller's tags for an object. */
export const setTags = (kept: Tags) =>
  endpoint({
    ...ownMarksContract,
    operation: 'object.tags.set',
    path: '/object/:objectid/tags',
    summary: 'Set the tags of the caller for an object',
    details:
      'They replace the earlier tags. Tags belong to the caller, and no other user sees them: on 2,000 objects at most.',
    body: z.object({ tags: tags.describe('All of them from now on; an empty list takes them away.') }),
    async run({ body, resource, caller, commit }) {
      const { object } = existing(resource)
      await kept.set(object, body.tags, { userId: caller.userId, commit })
      return { callinfo: { objectid: String(object.id), message: 'Tags set' } }
    },
  })
