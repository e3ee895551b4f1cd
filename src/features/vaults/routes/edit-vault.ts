import { z } from 'zod'
import { messageSchema } from '../../../http/contract/shared-fields.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { Vaults } from '../vault.ts'
import { givenFields, vaultFields, vaultRecord, oneVault, vaultParams } from './vault-record.ts'

/** `PUT /vault/:vaultid`: changes the members that are sent. */
export const editVault = (vaults: Vaults) =>
  endpoint({
    operation: 'vault.edit',
    handler: 'VaultHandler',
    method: 'PUT',
    path: '/vault/:vaultid',
    summary: 'Change name, password policy, description or history of a vault',
    details: 'It changes what is given and leaves the rest.',
    access: { kind: 'vault', permission: 'Admin' },
    faults: ['vault.policy_unknown'],
    reply: { callinfo: messageSchema, members: z.object({ VAULT: oneVault }) },
    params: vaultParams,
    body: vaultFields,
    async run({ body, vault: { id, permission, scope }, commit }) {
      const vault = await vaults.edit(id, givenFields(body), commit)
      return {
        callinfo: { message: 'Vault updated' },
        members: { VAULT: [vaultRecord({ ...vault, permission, scope })] },
      }
    },
  })
