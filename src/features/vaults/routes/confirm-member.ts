import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { Memberships } from '../membership.ts'
import { memberParams, messageSchema } from './vault-record.ts'

const aNumber = 'must be the number of a recovery, as the list of members shows it'

/** `POST /vault/:vaultid/member/:userid/confirm`: ends the rest of a membership. */
export const confirmMember = (memberships: Memberships) =>
  endpoint({
    operation: 'vault.member.confirm',
    handler: 'VaultmembersHandler',
    method: 'POST',
    path: '/vault/:vaultid/member/:userid/confirm',
    summary: 'Confirm a member whose membership rests',
    access: { kind: 'vault', permission: 'Admin' },
    success: 200,
    faults: ['vault.member_unknown', 'vault.member_awake', 'access.confirmation', 'store.conflict'],
    reply: { callinfo: messageSchema },
    params: memberParams,
    body: z.object({
      recovery: z
        .union([z.int().min(1), z.string().regex(/^[1-9]\d{0,14}$/, aNumber)], aNumber)
        .transform(Number)
        .optional()
        .describe('The last recovery that the caller knows of: a later one is refused.'),
    }),
    async run({ params: { userid }, body, vault, caller, commit }) {
      await memberships.confirm({ vaultId: vault.id, userId: userid }, caller.userId, body.recovery, commit)
      return { callinfo: { message: 'User confirmed' } }
    },
  })
