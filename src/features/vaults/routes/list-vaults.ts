import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { Vaults } from '../vault.ts'
import { vaultRecord, vaultSchema } from './vault-record.ts'

/** `GET /vault`: the vaults that are shared with the caller; none is an empty list, not an error. */
export const listVaults = (vaults: Vaults) =>
  endpoint({
    operation: 'vault.list',
    handler: 'GroupHandler',
    method: 'GET',
    path: '/vault',
    summary: 'List the vaults shared with the caller',
    access: { kind: 'session' },
    success: 200,
    reply: { members: z.object({ VAULTS: z.array(vaultSchema) }) },
    params: z.object({}),
    body: z.object({}),
    async run({ caller }) {
      const shared = await vaults.listFor(caller.userId)
      return { members: { VAULTS: shared.map(vaultRecord) } }
    },
  })
