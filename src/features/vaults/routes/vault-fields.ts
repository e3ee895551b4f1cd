import { z } from 'zod'
import { Fault } from '../../../fault.ts'
import { findPolicy } from '../../passwords/policies.ts'
import type { VaultFields } from '../records.ts'

const name = z
  .string()
  .regex(/^\P{Cc}*$/u, 'must not hold control characters')
  .trim()
  .min(1, 'must not be empty')
  .max(128, 'must have 128 characters at most')

const aPolicy = 'must be the id of a password policy'

/** What a vault may be given; its name under either of two names. */
export const vaultFields = z
  .object({
    vaultname: name.optional(),
    groupname: name.optional(),
    policy: z.union([z.int(), z.string().regex(/^\d{1,9}$/, aPolicy)], aPolicy).optional(),
    description: z.string().max(4096, 'must have 4096 characters at most').optional(),
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
