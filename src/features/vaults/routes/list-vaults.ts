import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { Recoveries } from '../../users/recovery.ts'
import type { Vaults } from '../vault.ts'
import { vaultRecord, vaultSchema } from './vault-record.ts'

/**
 * `GET /vault`: the vaults that are shared with the caller; none is an empty list, not an error. Those in which the
 * membership rests are left out.
 */
export const listVaults = (vaults: Vaults, recoveries: Pick<Recoveries, 'resting'>) =>
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
      const resting = await recoveries.resting(caller.userId)
      return { members: { VAULTS: shared.map(vaultRecord) }, general: resting === 0 ? [] : [leftOut(resting)] }
    },
  })

const leftOut = (resting: number): string =>
  `${resting === 1 ? 'One vault is' : `${resting} vaults are`} left out: your membership rests, because somebody else gave you a pass phrase or a second factor. Another Admin of the vault confirms you, or the operator where there is none.`
