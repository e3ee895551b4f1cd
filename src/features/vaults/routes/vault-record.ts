import { z } from 'zod'
import { decimalId } from '../../../access/resource.ts'
import { permissionBits, permissionFromBit } from '../../../access/permission.ts'
import { Fault } from '../../../fault.ts'
import { vaultParameter } from '../../../http/contract/endpoint.ts'
import { findPolicy } from '../../passwords/policies.ts'
import type { SharedVault, VaultFields } from '../records.ts'

/** A vault as the interface writes it (spec: Resources, Vault): ids and bits as text. */
export function vaultRecord(vault: SharedVault): Record<string, string> {
  return {
    id: String(vault.id),
    groupname: vault.name,
    policy: String(vault.policyId),
    description: vault.description,
    status: String(permissionBits[vault.permission]),
    statustext: vault.permission,
  }
}

/** `vaultRecord`, for the documentation. */
export const vaultSchema = z.object({
  id: z.string(),
  groupname: z.string(),
  policy: z.string(),
  description: z.string(),
  status: z.enum(['1', '2', '4']),
  statustext: z.enum(['Read', 'Write', 'Admin']),
})

export const messageSchema = z.object({ message: z.string() })

const vaultName = z
  .string()
  .regex(/^\P{Cc}*$/u, 'must not hold control characters')
  .trim()
  .min(1, 'must not be empty')
  .max(128, 'must have 128 characters at most')

const aPolicy = 'must be the id of a password policy'

/** What a vault may be given; its name under either of two names. */
export const vaultFields = z
  .object({
    vaultname: vaultName.optional(),
    groupname: vaultName.optional(),
    policy: z.union([z.int(), z.string().regex(/^\d{1,9}$/, aPolicy)], aPolicy).optional(),
    description: z.string().max(4096, 'must have 4096 characters at most').optional(),
  })
  .refine(({ vaultname, groupname }) => vaultname === undefined || groupname === undefined || vaultname === groupname, {
    path: ['groupname'],
    error: 'must be the same as vaultname, or left out',
  })
  .transform(({ vaultname, groupname, policy, description }) => ({
    name: vaultname ?? groupname,
    policyId: policy === undefined ? undefined : Number(policy),
    description,
  }))

/** Those that were given. @throws Fault `vault.policy_unknown` */
export function givenFields({ name, policyId, description }: z.output<typeof vaultFields>): Partial<VaultFields> {
  if (policyId !== undefined && findPolicy(policyId) === undefined) throw new Fault('vault.policy_unknown')
  return {
    ...(name === undefined ? {} : { name }),
    ...(policyId === undefined ? {} : { policyId }),
    ...(description === undefined ? {} : { description }),
  }
}

/** Path parameters of a call about one member. What cannot be a user id is 0, which no user has. */
export const memberParams = z.object({
  [vaultParameter]: z.string(),
  userid: z.string().transform((text) => decimalId(text) ?? 0),
})

const { Read, Write, Admin } = permissionBits
const bit = z.union(
  [z.literal([Read, Write, Admin]), z.enum([`${Read}`, `${Write}`, `${Admin}`])],
  'must be 1 (Read), 2 (Write) or 4 (Admin)',
)

export const memberBody = z.object({ status: bit.transform((status) => permissionFromBit(Number(status)) ?? z.NEVER) })
