import { z } from 'zod'
import { vaultParameter } from '../../api/endpoint.ts'
import { Fault } from '../../fault.ts'
import { findKeyType, type KeyType } from '../key-type.ts'

/** Path parameters of every call that names a key. */
export const keyParams = z.object({
  [vaultParameter]: z.string(),
  name: z
    .string()
    .regex(/^\w[\w.-]{0,127}$/, 'must have 1 to 128 letters, digits and _ . - and begin with a letter or digit'),
})

/** A version number, as a number or as decimal text. */
export const keyVersion = z
  .union([z.int().min(1).max(999_999_999), z.string().regex(/^[1-9]\d{0,8}$/)], 'must be a key version: 1 or more')
  .transform(Number)

/** Flags arrive as JSON booleans, or as the text that answers carry. */
export const flag = z.union(
  [z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')],
  'must be true or false',
)

/** @throws Fault `key.type_unknown` */
export function keyTypeNamed(name: string): KeyType {
  const type = findKeyType(name)
  if (type === undefined)
    throw new Fault(
      'key.type_unknown',
      `There is no key type ${name.slice(0, 64)}; this appliance offers aes128-gcm96 and aes256-gcm96.`,
    )
  return type
}
