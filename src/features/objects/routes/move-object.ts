import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { ObjectReading } from '../reading.ts'
import { grantedTo, objectQuery } from '../read-records.ts'
import type { Relocation, Relocator } from '../relocation.ts'
import { objectId } from './object-record.ts'
import { intoVault, relocationContract, relocationsOf } from './relocation-contract.ts'

/** `POST /object/:objectid/move`: moves an object within its vault or into another. */
export const moveObject = (relocation: Relocation, reading: ObjectReading) =>
  endpoint({
    ...relocationContract,
    // A move within the vault encrypts nothing again and is cheap.
    quota: ({ body: { groupid }, resource }) =>
      groupid === undefined || groupid === resource?.vault.id ? undefined : relocationsOf({ resource }),
    operation: 'object.move',
    path: '/object/:objectid/move',
    summary: 'Move an object with all that lies in it',
    details:
      'All of it moves, or nothing. Into another vault, whose key encrypts it again in the token, it keeps its id and its alarm; each secret is recorded, and raises alarms, as if it were decrypted, and the policy of that vault judges its values. At most 500 objects at once, with 16 MiB of open fields, of which a search looks through 1 MiB.',
    access: {
      kind: 'vault',
      permission: 'Write',
      resource: objectQuery,
      into: intoVault,
    },
    body: z.object({
      groupid: objectId.describe('Id of the vault into which it goes; without it, its own.').optional(),
      parentid: objectId.describe('Id of the object in which it is to lie, 0 for the root of the vault.'),
    }),
    async run({ body: { parentid }, vault, into, resource, caller, note, record, recordWithChange, commit }) {
      const found = grantedTo(vault, resource)
      const { id } = found.object
      const target = `object ${id}: to vault ${into.id}, object ${parentid}`
      if (into.id !== vault.id)
        recordWithChange({
          operation: 'object.move.in',
          vault: String(into.id),
          target: `object ${id}: from vault ${vault.id}`,
        })
      const to = { vault: await reading.vault(into), parentId: parentid }
      const by: Relocator = { userId: caller.userId, commit, record, placed: (_, rows) => note({ target, rows }) }
      const moved = await relocation.move(found, to, by)
      return { callinfo: { objectid: String(id), message: 'Object moved', objects: String(moved) } }
    },
  })
