import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { ObjectReading } from '../reading.ts'
import { grantedTo, objectQuery } from '../read-records.ts'
import type { Relocation, Relocator } from '../relocation.ts'
import { objectId } from './object-record.ts'
import { intoVault, relocationContract, relocationsOf } from './relocation-contract.ts'

/** `POST /object/:objectid/copy`: copies an object within its vault or into another. */
export const copyObject = (relocation: Relocation, reading: ObjectReading) =>
  endpoint({
    ...relocationContract,
    quota: relocationsOf,
    operation: 'object.copy',
    path: '/object/:objectid/copy',
    summary: 'Copy an object with all that lies in it',
    details:
      'All of it is copied, or nothing. The copies keep the alarm. They are encrypted again in the token; each secret is recorded, and raises alarms, as if it were decrypted, and the policy of the vault into which it goes judges its values. At most 500 objects at once, with 16 MiB of open fields, of which a search looks through 1 MiB.',
    access: {
      kind: 'vault',
      permission: 'Read',
      resource: objectQuery,
      into: intoVault,
    },
    body: z.object({
      groupid: objectId.describe('Id of the vault into which the copy goes; without it, its own.').optional(),
      parentid: objectId.describe('Id of the object in which the copy is to lie, 0 for the root of the vault.'),
    }),
    async run({ body: { parentid }, vault, into, resource, caller, note, record, recordWithChange, commit }) {
      const found = grantedTo(vault, resource)
      const { id } = found.object
      const to = { vault: await reading.vault(into), parentId: parentid }
      let copyId = id
      const placed: Relocator['placed'] = (made, rows) => {
        copyId = made
        if (into.id !== vault.id)
          recordWithChange({
            operation: 'object.copy.in',
            vault: String(into.id),
            target: `object ${made}: object ${id} of vault ${vault.id}`,
          })
        note({ target: `object ${id}: as object ${made} to vault ${into.id}, object ${parentid}`, rows })
      }
      const copied = await relocation.copy(found, to, { userId: caller.userId, commit, record, placed })
      return { callinfo: { objectid: String(copyId), message: 'Object copied', objects: String(copied) } }
    },
  })
