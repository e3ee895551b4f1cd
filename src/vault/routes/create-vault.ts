import { z } from 'zod'
import { endpoint } from '../../api/endpoint.ts'
import { Fault } from '../../fault.ts'
import { defaultPolicyId, findPolicy } from '../../policy/policies.ts'
import type { Vaults } from '../vault.ts'
import { vaultRecord } from './vault-record.ts'

const name = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(128, 'must have 128 characters at most')
  .regex(/^\P{Cc}*$/u, 'must not hold control characters')

const body = z
  .object({
    vaultname: name.optional(),
    groupname: name.optional(),
    policy: z.union([z.int(), z.string().regex(/^\d{1,9}$/, 'must be the id of a password policy')]).optional(),
    description: z.string().max(4096, 'must have 4096 characters at most').optional(),
  })
  .transform(({ vaultname, groupname, policy, description }) => ({
    name: vaultname ?? groupname,
    policyId: policy === undefined ? defaultPolicyId : Number(policy),
    description,
  }))

/** `POST /vault` (spec: Create vault). */
export const createVault = (vaults: Vaults) =>
  endpoint({
    operation: 'vault.create',
    handler: 'VaultHandler',
    method: 'POST',
    path: '/vault',
    summary: 'Create a vault',
    access: { kind: 'session', capability: 'createVault' },
    success: 200,
    params: z.object({}),
    body,
    async run({ body: { name, policyId, description }, caller, commit }) {
      if (name === undefined) throw new Fault('request.invalid', 'vaultname is missing.')
      if (findPolicy(policyId) === undefined) throw new Fault('vault.policy_unknown')
      const vault = await vaults.create({ name, policyId, description: description ?? name }, caller.userId, commit)
      const record = vaultRecord(vault)
      // One published client reads VAULTS, the others VAULT.
      return { callinfo: { message: 'Vault created' }, members: { VAULT: [record], VAULTS: [record] } }
    },
  })
