import { z } from 'zod'
import { decimalId } from '../../../access/decimal-id.ts'
import { permissionBits, permissionFromBit } from '../../../access/permission.ts'
import { vaultParameter } from '../../../http/contract/endpoint.ts'

/** Path parameters of a call about one member. A user id that cannot be one is that of nobody. */
export const memberParams = z.object({
  [vaultParameter]: z.string(),
  userid: z.string().transform((text) => decimalId(text) ?? 0),
})

const { Read, Write, Admin } = permissionBits
const bit = z.union(
  [z.literal([Read, Write, Admin]), z.enum([`${Read}`, `${Write}`, `${Admin}`])],
  'must be 1 (Read), 2 (Write) or 4 (Admin)',
)

export const memberBody = z.object({ status: bit.transform((status) => permissionFromBit(Number(status)) ?? z.NEVER) })
