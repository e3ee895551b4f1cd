import { z } from 'zod'
import { decimalId } from '../../../access/resource.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { messageSchema } from '../../../http/contract/shared-fields.ts'
import { Fault } from '../../../fault.ts'
import type { Links } from '../links.ts'
import { linkParams } from './link-record.ts'

/** `DELETE /link/:linkid`. */
export const revokeLink = (links: Links) =>
  endpoint({
    operation: 'link.revoke',
    handler: 'LinkHandler',
    method: 'DELETE',
    path: '/link/:linkid',
    summary: 'Revoke a one-time link of yours that waits to be opened',
    access: { kind: 'session' },
    success: 200,
    faults: ['link.disabled', 'link.not_found'],
    reply: { callinfo: messageSchema },
    params: linkParams,
    body: z.object({}),
    async run({ params, caller, commit }) {
      const id = decimalId(params.linkid)
      if (id === undefined) throw new Fault('link.not_found')
      await links.revoke(caller.userId, id, commit)
      return { callinfo: { message: 'Link revoked' } }
    },
  })
