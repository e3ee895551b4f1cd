import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { Fault } from '../../../fault.ts'
import type { Memberships } from '../membership.ts'
import { memberParams, messageSchema } from './vault-record.ts'

/** `DELETE /vault/:vaultid/member/:userid`: an Admin removes any member, and each member may leave. */
export const removeMember = (memberships: Memberships) =>
  endpoint({
    operation: 'vault.member.remove',
    handler: 'VaultmembersHandler',
    method: 'DELETE',
    path: '/vault/:vaultid/member/:userid',
    summary: 'Stop sharing a vault with a user, or leave it',
    access: { kind: 'vault', permission: 'Read' },
    success: 200,
    faults: ['access.permission', 'vault.member_unknown', 'vault.last_admin'],
    reply: { callinfo: messageSchema, data: z.looseObject({ userid: z.int() }) },
    params: memberParams,
    body: z.object({}),
    async run({ params: { userid }, vault, caller, commit }) {
      if (vault.permission !== 'Admin' && userid !== caller.userId)
        throw new Fault(
          'access.permission',
          `To remove others you need Admin in the vault; you have ${vault.permission}.`,
        )
      await memberships.remove({ vaultId: vault.id, userId: userid }, commit)
      return { callinfo: { message: 'User removed from vault' }, data: { userid } }
    },
  })
