import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { base64 } from '../../../http/contract/shared-fields.ts'
import type { Links } from '../links.ts'

/** `POST /link/open`. Not GET, so that programs that follow links, such as previews in messages, open none. */
export const openLink = (links: Links) =>
  endpoint({
    operation: 'link.open',
    handler: 'LinkHandler',
    method: 'POST',
    path: '/link/open',
    summary: 'Open a one-time link',
    details:
      'Needs no session. The ciphertext is gone from the appliance when the answer leaves, whether or not it arrives. A link that was opened, was revoked, has expired or never existed gets the same answer.',
    access: { kind: 'public' },
    faults: ['link.disabled', 'link.not_found'],
    reply: { callinfo: z.object({ ciphertext: base64('The ciphertext that the maker of the link sent.') }) },
    body: z.object({
      opener: z
        .string()
        .regex(/^[\w-]{22}$/, 'must have 22 characters: letters, digits, - and _')
        .describe('The first part of the link, after `#/link/`. Never send the second: it is the key.'),
    }),
    unechoed: 'all',
    async run({ body: { opener }, note, commit }) {
      const ciphertext = await links.open(opener, commit, (id) => note({ target: `link ${id}` }))
      return { callinfo: { ciphertext: ciphertext.toString('base64') } }
    },
  })
