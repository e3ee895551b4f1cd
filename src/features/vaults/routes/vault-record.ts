import { z } from 'zod'
import { permissionBits } from '../../../access/permission.ts'
import type { SharedVault } from '../records.ts'

/** A vault as the interface writes it (spec: Resources, Vault): ids and bits as text. */
export function vaultRecord(vault: SharedVault): Record<string, string> {
  return {
    id: String(vault.id),
    groupname: vault.name,
    policy: String(vault.policyId),
    description: vault.description,
    status: String(permissionBits[vault.permission]),
    statustext: vault.permission,
  }
}

/** `vaultRecord`, for the documentation. */
export const vaultSchema = z.object({
  id: z.string(),
  groupname: z.string(),
  policy: z.string(),
  description: z.string(),
  status: z.enum(['1', '2', '4']),
  statustext: z.enum(['Read', 'Write', 'Admin']),
})

export const messageSchema = z.object({ message: z.string() })
