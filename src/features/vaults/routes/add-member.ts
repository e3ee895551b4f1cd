import { messageSchema } from '../../../http/contract/shared-fields.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { Memberships } from '../membership.ts'
import { memberBody, memberParams } from './vault-record.ts'

/** `POST /vault/:vaultid/member/:userid`: shares a vault. */
export const addMember = (memberships: Memberships) =>
  endpoint({
    operation: 'vault.member.add',
    handler: 'VaultmembersHandler',
    method: 'POST',
    path: '/vault/:vaultid/member/:userid',
    summary: 'Share a vault with a user, all of it or some of its keys',
    details:
      'The user sees the vault and what lies in it from the next call on; with grants, what they allow and nothing else.',
    access: { kind: 'vault', permission: 'Admin' },
    faults: ['user.not_found', 'vault.member_exists'],
    reply: { callinfo: messageSchema },
    params: memberParams,
    body: memberBody,
    async run({ params: { userid }, body, vault, caller, commit }) {
      await memberships.add({ vaultId: vault.id, userId: userid }, body, caller.userId, commit)
      return { callinfo: { message: 'User added' } }
    },
  })
