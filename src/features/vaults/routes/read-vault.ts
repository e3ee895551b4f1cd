import { z } from 'zod'
import { endpoint, vaultParameter } from '../../../http/contract/endpoint.ts'
import type { Vaults } from '../vault.ts'
import { vaultRecord, vaultSchema } from './vault-record.ts'

/** What lies in a vault, as the interface writes it. */
export interface VaultContents {
  /** The members that hold it, for the documentation. */
  readonly shape: z.ZodRawShape
  read(vaultId: number): Promise<Readonly<Record<string, unknown>>>
}

/** `GET /vault/:vaultid`: a vault and what lies in it. */
export const readVault = (vaults: Vaults, contents: VaultContents) =>
  endpoint({
    operation: 'vault.read',
    handler: 'GroupHandler',
    method: 'GET',
    path: '/vault/:vaultid',
    summary: 'Read a vault and what lies in it',
    access: { kind: 'vault', permission: 'Read' },
    success: 200,
    reply: { members: z.object({ VAULT: z.array(vaultSchema), ...contents.shape }) },
    params: z.object({ [vaultParameter]: z.string() }),
    body: z.object({}),
    async run({ vault: { id, permission } }) {
      const vault = await vaults.read(id)
      return { members: { VAULT: [vaultRecord({ ...vault, permission })], ...(await contents.read(id)) } }
    },
  })
