import { z } from 'zod'
import { endpoint, vaultParameter } from '../../../http/contract/endpoint.ts'
import type { Vaults } from '../vault.ts'
import { givenFields, messageSchema, vaultFields, vaultRecord, vaultSchema } from './vault-record.ts'

/** `PUT /vault/:vaultid`: changes what is given and leaves the rest. */
export const editVault = (vaults: Vaults) =>
  endpoint({
    operation: 'vault.edit',
    handler: 'VaultHandler',
    method: 'PUT',
    path: '/vault/:vaultid',
    summary: 'Change name, password policy or description of a vault',
    access: { kind: 'vault', permission: 'Admin' },
    success: 200,
    faults: ['vault.policy_unknown'],
    reply: { callinfo: messageSchema, members: z.object({ VAULT: z.array(vaultSchema) }) },
    params: z.object({ [vaultParameter]: z.string() }),
    body: vaultFields,
    async run({ body, vault: { id, permission }, commit }) {
      const vault = await vaults.edit(id, givenFields(body), commit)
      return { callinfo: { message: 'Vault updated' }, members: { VAULT: [vaultRecord({ ...vault, permission })] } }
    },
  })
