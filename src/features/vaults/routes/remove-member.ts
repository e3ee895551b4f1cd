import { z } from 'zod'
import { messageSchema } from '../../../http/contract/shared-fields.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { Memberships } from '../membership.ts'
import { memberParams } from './vault-record.ts'

/** `DELETE /vault/:vaultid/member/:userid`: an Admin removes any member; every member may leave. */
export const removeMember = (memberships: Memberships) =>
  endpoint({
    operation: 'vault.member.remove',
    handler: 'VaultmembersHandler',
    method: 'DELETE',
    path: '/vault/:vaultid/member/:userid',
    summary: 'Stop sharing a vault with a user, or leave it',
    access: { kind: 'vault', permission: 'Read' },
    demanding: [
      {
        what: 'Removing others',
        permission: 'Admin',
        isAsked: ({ params, caller }) => params.userid !== caller?.userId,
      },
    ],
    faults: ['vault.member_unknown', 'vault.last_admin'],
    reply: {
      callinfo: messageSchema,
      data: z.looseObject({ userid: z.int().min(1).describe('Id of the user who was removed, as a number.') }),
    },
    params: memberParams,
    async run({ params: { userid }, vault, commit }) {
      await memberships.remove({ vaultId: vault.id, userId: userid }, commit)
      return { callinfo: { message: 'User removed from vault' }, data: { userid } }
    },
  })
