import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { howMany } from '../../../http/contract/shared-fields.ts'
import type { Links } from '../links.ts'
import { linkRecordOf, linkSchema } from './link-record.ts'

/** `GET /link`: those of the caller. */
export const listLinks = (links: Links) =>
  endpoint({
    operation: 'link.list',
    handler: 'LinkHandler',
    method: 'GET',
    path: '/link',
    summary: 'List your one-time links',
    access: { kind: 'session' },
    success: 200,
    faults: ['link.disabled'],
    reply: {
      callinfo: z.object({
        links: z.array(linkSchema).describe('The newest first; ended ones for 30 days after their time.'),
        limits: z
          .object({
            bytes: howMany('Most bytes of a ciphertext.'),
            links: howMany('Most links that wait to be opened at once.'),
            lifetime: howMany('Most seconds that a link can wait.'),
          })
          .describe('What one user may have.'),
      }),
    },
    params: z.object({}),
    body: z.object({}),
    async run({ caller }) {
      const listed = await links.list(caller.userId)
      const { maxBytes, perUser, longestMs } = links.rules
      const now = Date.now()
      return {
        callinfo: {
          links: listed.map((link) => linkRecordOf(link, now)),
          limits: { bytes: maxBytes, links: perUser, lifetime: Math.floor(longestMs / 1_000) },
        },
      }
    },
  })
