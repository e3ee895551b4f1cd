import { messageSchema } from '../../../http/contract/shared-fields.ts'
import { vaultParams } from './vault-record.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { Vaults } from '../vault.ts'

/** `DELETE /vault/:vaultid`: deletes an empty vault and destroys its data key. */
export const deleteVault = (vaults: Vaults) =>
  endpoint({
    operation: 'vault.delete',
    handler: 'GroupHandler',
    method: 'DELETE',
    path: '/vault/:vaultid',
    summary: 'Delete an empty vault',
    details: 'Its objects and keys have to be deleted first.',
    access: { kind: 'vault', permission: 'Admin', capability: 'createVault' },
    faults: ['vault.not_empty', 'store.conflict'],
    reply: { callinfo: messageSchema },
    params: vaultParams,
    async run({ vault, commit, record }) {
      await vaults.remove(vault.id, commit, (objects) =>
        record({ operation: 'object.destroy', target: `${objects} deleted objects` }),
      )
      return { callinfo: { message: 'Vault deleted' } }
    },
  })
