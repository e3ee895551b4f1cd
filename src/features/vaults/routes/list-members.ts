import { z } from 'zod'
import { operatorId } from '../../../access/confirmation.ts'
import { permissionBits } from '../../../access/permission.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { ListedMember, Memberships } from '../membership.ts'

const memberSchema = z.object({
  id: z.string(),
  username: z.string(),
  fullname: z.string(),
  email: z.string(),
  groupstatus: z.enum(['1', '2', '4']),
  status: z.string().describe('capabilities of the user, a bitmap'),
  passphrase_by: z
    .string()
    .optional()
    .describe('id of the administrator who gave the user the present pass phrase; absent once the user has changed it'),
  resting: z
    .object({
      since: z.iso.datetime(),
      by: z.array(z.string()).describe('ids of those who gave the user something to log in with, 0 for the operator'),
      recovery: z.string().describe('number of the last time, for the call that confirms the user'),
    })
    .optional()
    .describe('Only of a membership that rests.'),
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

function memberRecord(member: ListedMember): Record<string, unknown> {
  const { passphraseBy, open } = member
  return {
    id: String(member.userId),
    username: member.username,
    fullname: member.fullname,
    email: member.email,
    groupstatus: String(permissionBits[member.permission]),
    status: String(member.capabilities),
    ...(passphraseBy !== null && passphraseBy !== operatorId && { passphrase_by: String(passphraseBy) }),
    ...restOf(open),
  }
}

function restOf(open: ListedMember['open']): Record<string, unknown> {
  const [first] = open
  if (first === undefined) return {}
  const by = [...new Set(open.map((recovery) => String(recovery.by)))]
  return { resting: { since: new Date(first.at).toISOString(), by, recovery: String(open.at(-1)?.number) } }
}
