import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { onHoldAdvice, type Recoveries } from '../../users/recovery.ts'
import type { Vaults } from '../vault.ts'
import { vaultRecord, vaultSchema } from './vault-record.ts'

/**
 * `GET /vault`: the vaults that are shared with the caller, without those in which the membership is on hold. No vault
 * is an empty list, not an error.
 */
export const listVaults = (vaults: Vaults, recoveries: Pick<Recoveries, 'countOnHold'>) =>
  endpoint({
    operation: 'vault.list',
    handler: 'GroupHandler',
    method: 'GET',
    path: '/vault',
    summary: 'List the vaults shared with the caller',
    details: 'Vaults in which the membership of the caller is on hold are left out; `CALLINFO.general` says so.',
    access: { kind: 'session' },
    reply: {
      members: z.object({
        VAULTS: z.array(vaultSchema).describe('The vaults, in the order of their ids; empty where none is shared.'),
      }),
    },
    async run({ caller }) {
      const shared = await vaults.listFor(caller.userId)
      const onHold = await recoveries.countOnHold(caller.userId)
      return { members: { VAULTS: shared.map(vaultRecord) }, general: onHoldAdvice(onHold) }
    },
  })
