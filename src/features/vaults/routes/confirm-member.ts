import { z } from 'zod'
import { messageSchema } from '../../../http/contract/shared-fields.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { Memberships } from '../membership.ts'
import { memberParams } from './vault-record.ts'

const aNumber = 'must be the number of a recovery, as the list of members shows it'

/** `POST /vault/:vaultid/member/:userid/confirm`: takes a membership off hold. */
export const confirmMember = (memberships: Memberships) =>
  endpoint({
    operation: 'vault.member.confirm',
    handler: 'VaultmembersHandler',
    method: 'POST',
    path: '/vault/:vaultid/member/:userid/confirm',
    summary: 'Confirm a member whose membership is on hold',
    details:
      'A membership is put on hold when an administrator or the operator gives its user a pass phrase or a second factor, so that neither of them gets into the vaults of the user by it.',
    access: { kind: 'vault', permission: 'Admin' },
    faults: ['vault.member_unknown', 'vault.member_awake', 'access.confirmation', 'store.conflict'],
    reply: { callinfo: messageSchema },
    params: memberParams,
    body: z.object({
      recovery: z
        .union([z.int().min(1), z.string().regex(/^[1-9]\d{0,14}$/, aNumber)], aNumber)
        .transform(Number)
        .optional()
        .describe(
          'Number of the last recovery that the caller knows of, as `resting.recovery` of the member shows it: where there was a later one, the call is refused.',
        ),
    }),
    async run({ params: { userid }, body, vault, caller, commit }) {
      await memberships.confirm({ vaultId: vault.id, userId: userid }, caller.userId, body.recovery, commit)
      return { callinfo: { message: 'User confirmed' } }
    },
  })
