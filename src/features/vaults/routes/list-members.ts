import { z } from 'zod'
import { permissionBits } from '../../../access/permission.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { Memberships } from '../membership.ts'
import type { Member } from '../membership-records.ts'

const memberSchema = z.object({
  id: z.string(),
  username: z.string(),
  fullname: z.string(),
  email: z.string(),
  groupstatus: z.enum(['1', '2', '4']),
  status: z.string().describe('capabilities of the user, a bitmap'),
})

/** `GET /vault/:vaultid/members` (spec: List members of a vault). */
export const listMembers = (memberships: Memberships) =>
  endpoint({
    operation: 'vault.members',
    handler: 'VaultmembersHandler',
    method: 'GET',
    path: '/vault/:vaultid/members',
    summary: 'List the members of a vault',
    access: { kind: 'vault', permission: 'Read' },
    success: 200,
    reply: { callinfo: z.object({ vaultmembers: z.array(memberSchema) }) },
    params: z.object({ vaultid: z.string() }),
    body: z.object({}),
    async run({ vault }) {
      const members = await memberships.list(vault.id)
      return { callinfo: { vaultmembers: members.map(memberRecord) } }
    },
  })

function memberRecord(member: Member): Record<string, string> {
  return {
    id: String(member.userId),
    username: member.username,
    fullname: member.fullname,
    email: member.email,
    groupstatus: String(permissionBits[member.permission]),
    status: String(member.capabilities),
  }
}
