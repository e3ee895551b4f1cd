import { z } from 'zod'
import { endpoint, vaultParameter } from '../../../http/contract/endpoint.ts'
import type { Vaults } from '../vault.ts'
import { messageSchema } from './vault-record.ts'

/** `DELETE /vault/:vaultid`: an empty vault, and its data key in the token. */
export const deleteVault = (vaults: Vaults) =>
  endpoint({
    operation: 'vault.delete',
    handler: 'GroupHandler',
    method: 'DELETE',
    path: '/vault/:vaultid',
    summary: 'Delete an empty vault',
    access: { kind: 'vault', permission: 'Admin', capability: 'createVault' },
    success: 200,
    faults: ['vault.not_empty', 'store.conflict'],
    reply: { callinfo: messageSchema },
    params: z.object({ [vaultParameter]: z.string() }),
    body: z.object({}),
    async run({ vault, commit }) {
      await vaults.remove(vault.id, commit)
      return { callinfo: { message: 'Vault deleted' } }
    },
  })
