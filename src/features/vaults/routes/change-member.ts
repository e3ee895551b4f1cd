import { messageSchema } from '../../../http/contract/shared-fields.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { Memberships } from '../membership.ts'
import { memberBody, memberParams } from './vault-record.ts'

/** `PUT /vault/:vaultid/member/:userid`: changes what a member may do. */
export const changeMember = (memberships: Memberships) =>
  endpoint({
    operation: 'vault.member.change',
    handler: 'VaultmembersHandler',
    method: 'PUT',
    path: '/vault/:vaultid/member/:userid',
    summary: 'Change the permission of a member, and its grants',
    details: 'It takes effect with the next call of the member. Grants that are not named stay as they are.',
    access: { kind: 'vault', permission: 'Admin' },
    faults: ['vault.member_unknown', 'vault.last_admin'],
    reply: { callinfo: messageSchema },
    params: memberParams,
    body: memberBody,
    async run({ params: { userid }, body, vault, caller, commit }) {
      await memberships.change({ vaultId: vault.id, userId: userid }, body, caller.userId, commit)
      return { callinfo: { message: 'User updated' } }
    },
  })
