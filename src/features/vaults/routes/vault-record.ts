import { z } from 'zod'
import { idText, lineOfText, numberText, userSegment, vaultSegment } from '../../../http/contract/shared-fields.ts'
import { decimalId } from '../../../access/resource.ts'
import { permissionBits, permissionFromBit } from '../../../access/permission.ts'
import { Fault } from '../../../fault.ts'
import { vaultParameter } from '../../../http/contract/endpoint.ts'
import { findPolicy } from '../../passwords/policies.ts'
import { defaultHistory, type SharedVault, type VaultFields } from '../records.ts'
import { grantsBody, grantsSchema, writtenGrants } from './grants-member.ts'

/** A vault as the interface writes it (spec: Resources, Vault): ids and bits as text. */
export function vaultRecord(vault: SharedVault): Record<string, unknown> {
  return {
    id: String(vault.id),
    groupname: vault.name,
    policy: String(vault.policyId),
    description: vault.description,
    status: String(permissionBits[vault.permission]),
    statustext: vault.permission,
    // Left out where it has the default, since published clients may not expect it.
    ...(vault.history !== defaultHistory && { history: String(vault.history) }),
    ...writtenGrants(vault.scope),
  }
}

/** `vaultRecord`, for the documentation. */
export const vaultSchema = z
  .object({
    id: idText('Id of the vault.'),
    groupname: z.string().describe('Name of the vault.'),
    policy: idText('Id of the password policy for what lies in the vault.'),
    description: z.string().describe('What the vault is for.'),
    status: z.enum(['1', '2', '4']).describe('Permission of the caller in the vault: 1 Read, 2 Write, 4 Admin.'),
    statustext: z.enum(['Read', 'Write', 'Admin']).describe('The same in a word.'),
    history: numberText(
      `How many earlier versions of each object are kept, as text; absent where it is ${defaultHistory}.`,
    ).optional(),
    grants: grantsSchema.optional().describe('What narrows Read of the caller; absent where nothing does.'),
  })
  .meta({ id: 'Vault', description: 'A vault, as one of its members sees it.' })

/** The list with the one vault of a call. */
export const oneVault = z.array(vaultSchema).min(1).max(1).describe('The vault.')

const vaultName = lineOfText.min(1, 'must not be empty').max(128, 'must have 128 characters at most')

const mostHistory = 100
const aHistory = `must be a number from 0 to ${mostHistory}`

const aPolicy = 'must be the id of a password policy'

/** The members that describe a vault. Its name has two names in the interface. */
export const vaultFields = z
  .object({
    vaultname: vaultName.describe('Name of the vault. Vaults of the same name are possible.').optional(),
    groupname: vaultName.describe('The same under its older name: send one of the two.').optional(),
    policy: z
      .union([z.int(), z.string().regex(/^(0|[1-9]\d{0,8})$/, aPolicy)], aPolicy)
      .describe('Id of the password policy for what lies in the vault, as `GET /utils/policies` lists it.')
      .optional(),
    description: z
      .string()
      .max(4096, 'must have 4096 characters at most')
      .describe('What the vault is for.')
      .optional(),
    history: z
      .union([z.int().min(0).max(mostHistory), z.string().regex(/^(100|[1-9]?\d)$/, aHistory)], aHistory)
      .describe(
        'How many earlier versions of each object are kept: 0 to 100. Where it is made smaller, versions beyond it are no longer shown, and are removed with the next edit of each object.',
      )
      .optional(),
  })
  .refine(({ vaultname, groupname }) => vaultname === undefined || groupname === undefined || vaultname === groupname, {
    path: ['groupname'],
    error: 'must be the same as vaultname, or left out',
  })
  .transform(({ vaultname, groupname, policy, description, history }) => ({
    name: vaultname ?? groupname,
    policyId: policy === undefined ? undefined : Number(policy),
    description,
    history: history === undefined ? undefined : Number(history),
  }))

/** The fields that a call sends. @throws Fault `vault.policy_unknown` */
export function givenFields({
  name,
  policyId,
  description,
  history,
}: z.output<typeof vaultFields>): Partial<VaultFields> {
  if (policyId !== undefined && findPolicy(policyId) === undefined) throw new Fault('vault.policy_unknown')
  return {
    ...(name === undefined ? {} : { name }),
    ...(policyId === undefined ? {} : { policyId }),
    ...(description === undefined ? {} : { description }),
    ...(history === undefined ? {} : { history }),
  }
}

/** Path parameters of a call about one member. Anything that is no user id becomes 0, which no user has. */
export const memberParams = z.object({
  [vaultParameter]: vaultSegment(),
  userid: userSegment().transform((text) => decimalId(text) ?? 0),
})

const { Read, Write, Admin } = permissionBits
const bit = z.union(
  [z.literal([Read, Write, Admin]), z.enum([`${Read}`, `${Write}`, `${Admin}`])],
  'must be 1 (Read), 2 (Write) or 4 (Admin)',
)

export const memberBody = z
  .object({
    status: bit.describe('Permission of the member from now on: 1 Read, 2 Write, 4 Admin. Each holds those before it.'),
    grants: grantsBody,
  })
  .transform(({ status, grants }) => ({ permission: permissionFromBit(Number(status)) ?? z.NEVER, grants }))

export const vaultParams = z.object({ [vaultParameter]: vaultSegment() })
