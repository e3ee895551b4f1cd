import { z } from 'zod'
import { endpoint, vaultParameter } from '../../api/endpoint.ts'
import type { Vaults } from '../vault.ts'
import { vaultRecord, vaultSchema } from './vault-record.ts'

/** What lies in a vault, as the interface writes it. */
export interface VaultContents {
  readonly objects: readonly unknown[]
  /** Those that occur among the objects. */
  readonly templates: readonly unknown[]
}

const record = z.record(z.string(), z.unknown())

/** `GET /vault/:vaultid`: a vault and what lies in it. */
export const readVault = (vaults: Vaults, contentsOf: (vaultId: number) => Promise<VaultContents>) =>
  endpoint({
    operation: 'vault.read',
    handler: 'GroupHandler',
    method: 'GET',
    path: '/vault/:vaultid',
    summary: 'Read a vault and what lies in it',
    access: { kind: 'vault', permission: 'Read' },
    success: 200,
    reply: { members: z.object({ VAULT: z.array(vaultSchema), OBJECTS: z.array(record), TEMPLATES: z.array(record) }) },
    params: z.object({ [vaultParameter]: z.string() }),
    body: z.object({}),
    async run({ vault: { id, permission } }) {
      const vault = await vaults.read(id)
      const { objects, templates } = await contentsOf(id)
      return { members: { VAULT: [vaultRecord({ ...vault, permission })], OBJECTS: objects, TEMPLATES: templates } }
    },
  })
