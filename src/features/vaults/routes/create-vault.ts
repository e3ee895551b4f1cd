import { z } from 'zod'
import { messageSchema } from '../../../http/contract/shared-fields.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { Fault } from '../../../fault.ts'
import { defaultPolicyId } from '../../passwords/policies.ts'
import { defaultHistory } from '../records.ts'
import type { Vaults } from '../vault.ts'
import { givenFields, vaultFields, vaultRecord, oneVault } from './vault-record.ts'

/** `POST /vault` (spec: Create vault). */
export const createVault = (vaults: Vaults) =>
  endpoint({
    operation: 'vault.create',
    handler: 'VaultHandler',
    method: 'POST',
    path: '/vault',
    summary: 'Create a vault',
    details:
      'The caller is its only member, with Admin. Policy 16 when `policy` is absent; the name when `description` is absent. Ten earlier versions of each object are kept when `history` is.',
    access: { kind: 'session', capability: 'createVault' },
    faults: ['vault.policy_unknown'],
    reply: {
      callinfo: messageSchema,
      members: z.object({ VAULT: oneVault, VAULTS: oneVault }),
    },
    body: vaultFields.meta({ anyOf: [{ required: ['vaultname'] }, { required: ['groupname'] }] }),
    target: { noun: 'vault', member: 'vaultname' },
    quota: 'keys',
    async run({ body, caller, grant, commit }) {
      const { name, policyId = defaultPolicyId, description, history = defaultHistory } = givenFields(body)
      if (name === undefined) throw new Fault('request.invalid', 'vaultname is missing.')
      const vault = await vaults.create(
        { name, policyId, description: description ?? name, history },
        { userId: caller.userId, grant },
        commit,
      )
      const record = vaultRecord(vault)
      // One published client reads VAULTS, the others VAULT.
      return { callinfo: { message: 'Vault created' }, members: { VAULT: [record], VAULTS: [record] } }
    },
  })
