import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { Vaults } from '../vault.ts'
import { vaultRecord, oneVault, vaultParams } from './vault-record.ts'

/** The contents of a vault as answers write them. */
export interface VaultContents {
  /** The members of an answer that hold the contents, for the documentation. */
  readonly shape: z.ZodRawShape
  read(vaultId: number, admitLongList: () => void): Promise<Readonly<Record<string, unknown>>>
}

/** `GET /vault/:vaultid`: a vault and its contents. */
export const readVault = (vaults: Vaults, contents: VaultContents) =>
  endpoint({
    operation: 'vault.read',
    handler: 'GroupHandler',
    method: 'GET',
    path: '/vault/:vaultid',
    summary: 'Read a vault and what lies in it',
    details: 'Its objects come without their encrypted fields: `GET /object/{objectid}` decrypts those.',
    access: { kind: 'vault', permission: 'Read' },
    scopedUse: 'object.list',
    faults: ['request.quota'],
    reply: { members: z.object({ VAULT: oneVault, ...contents.shape }) },
    params: vaultParams,
    async run({ vault: { id, permission, scope }, admit }) {
      const vault = await vaults.read(id)
      const read = await contents.read(id, () => admit('longLists'))
      return { members: { VAULT: [vaultRecord({ ...vault, permission, scope })], ...read } }
    },
  })
