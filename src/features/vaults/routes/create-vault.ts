import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { Fault } from '../../../fault.ts'
import { defaultPolicyId } from '../../passwords/policies.ts'
import type { Vaults } from '../vault.ts'
import { givenFields, messageSchema, vaultFields, vaultRecord, vaultSchema } from './vault-record.ts'

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
    faults: ['vault.policy_unknown'],
    reply: {
      callinfo: messageSchema,
      members: z.object({ VAULT: z.array(vaultSchema), VAULTS: z.array(vaultSchema) }),
    },
    params: z.object({}),
    body: vaultFields,
    subject: { noun: 'vault', member: 'vaultname' },
    quota: 'keys',
    async run({ body, caller, commit }) {
      const { name, policyId = defaultPolicyId, description } = givenFields(body)
      if (name === undefined) throw new Fault('request.invalid', 'vaultname is missing.')
      const vault = await vaults.create({ name, policyId, description: description ?? name }, caller.userId, commit)
      const record = vaultRecord(vault)
      // One published client reads VAULTS, the others VAULT.
      return { callinfo: { message: 'Vault created' }, members: { VAULT: [record], VAULTS: [record] } }
    },
  })
