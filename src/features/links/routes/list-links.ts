import { z } from 'zod'
import { decimalId } from '../../../access/resource.ts'
import { Fault } from '../../../fault.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { anyNext, followingPage, pageLimit, pageNext } from '../../../http/contract/paging.ts'
import { howMany } from '../../../http/contract/shared-fields.ts'
import type { Links } from '../links.ts'
import { linkRecordOf, linkSchema } from './link-record.ts'

const mostListed = 1_000

/** `GET /link`: the caller's links, page by page. */
export const listLinks = (links: Links) =>
  endpoint({
    operation: 'link.list',
    handler: 'LinkHandler',
    method: 'GET',
    path: '/link',
    summary: 'List your one-time links',
    access: { kind: 'session' },
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
        next: followingPage(),
      }),
    },
    body: z.object({
      limit: pageLimit('links', '1000 when absent.'),
      next: pageNext('`CALLINFO.next` of the page before.'),
    }),
    async run({ body: { limit = mostListed, next }, caller }) {
      const before = next === undefined ? undefined : decimalId(next)
      if (next !== undefined && before === undefined) throw new Fault('request.invalid', `next ${anyNext}.`)
      const page = await links.list({ userId: caller.userId, before, most: limit })
      const last = page.hasMore ? page.links.at(-1) : undefined
      const { maxBytes, perUser, longestMs } = links.rules
      const now = Date.now()
      return {
        callinfo: {
          links: page.links.map((link) => linkRecordOf(link, now)),
          limits: { bytes: maxBytes, links: perUser, lifetime: Math.floor(longestMs / 1_000) },
          ...(last && { next: String(last.id) }),
        },
      }
    },
  })
