import { pathId } from '../../../access/resource.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { messageSchema } from '../../../http/contract/shared-fields.ts'
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
    faults: ['link.disabled', 'link.not_found'],
    reply: { callinfo: messageSchema },
    params: linkParams,
    async run({ params, caller, commit }) {
      await links.revoke(caller.userId, pathId(params.linkid, 'link.not_found'), commit)
      return { callinfo: { message: 'Link revoked' } }
    },
  })
