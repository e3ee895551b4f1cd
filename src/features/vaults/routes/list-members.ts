import { z } from 'zod'
import { vaultParams } from './vault-record.ts'
import { bitmapText, idText, moment, numberText } from '../../../http/contract/shared-fields.ts'
import { operatorId } from '../../../access/confirmation.ts'
import { permissionBits } from '../../../access/permission.ts'
import { scopeOf } from '../../../access/scope.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { ListedMember, Memberships } from '../membership.ts'
import { grantsSchema, writtenGrants } from './grants-member.ts'

const memberSchema = z
  .object({
    id: idText('Id of the user.'),
    username: z.string().describe('Login name of the user.'),
    fullname: z.string().describe('Full name of the user.'),
    email: z.string().describe('E-mail address of the user.'),
    groupstatus: z.enum(['1', '2', '4']).describe('Permission of the member in the vault: 1 Read, 2 Write, 4 Admin.'),
    service: z.literal(true).optional().describe('Present for a service account, which is not a person.'),
    grants: grantsSchema.optional().describe('What narrows Read of the member; absent where nothing does.'),
    status: bitmapText('Capabilities of the user.'),
    passphrase_by: idText(
      'Id of the administrator who gave the user the present pass phrase; absent once the user has changed it.',
    ).optional(),
    resting: z
      .object({
        since: moment('When another user, or the operator, first gave the user something to log in with.'),
        by: z
          .array(idText('Id of a user, 0 for the operator.'))
          .describe('Those who gave the user something to log in with.'),
        recovery: numberText('Number of the last time, for the call that confirms the member.'),
      })
      .describe('Present if the membership is on hold: the member cannot use the vault until an Admin confirms.')
      .optional(),
  })
  .meta({ id: 'Member', description: 'A member of a vault.' })

/** `GET /vault/:vaultid/members` (spec: List members of a vault). */
export const listMembers = (memberships: Memberships) =>
  endpoint({
    operation: 'vault.members',
    handler: 'VaultmembersHandler',
    method: 'GET',
    path: '/vault/:vaultid/members',
    summary: 'List the members of a vault',
    access: { kind: 'vault', permission: 'Read' },
    reply: {
      callinfo: z.object({ vaultmembers: z.array(memberSchema).describe('The members, in the order of their ids.') }),
    },
    params: vaultParams,
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
    ...writtenGrants(scopeOf(member.grants)),
    ...(member.isService && { service: true }),
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
