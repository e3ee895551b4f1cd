import { z } from 'zod'
import { type QuotaKind, vaultParameter } from '../../../http/contract/endpoint.ts'
import { Fault } from '../../../fault.ts'
import { decodeBase64 } from '../../../encoding/base64.ts'
import { findKeyType, keyTypes, type KeyType } from '../key-type.ts'

/** Path parameters of every call that names a key. */
export const keyParams = z.object({
  [vaultParameter]: z.string(),
  name: z
    .string()
    .regex(/^\w[\w.-]{0,127}$/, 'must have 1 to 128 letters, digits and _ . - and begin with a letter, a digit or _'),
})

/** What answers about a key call it. */
export const keyNames = { name: z.string(), objectid: z.string() }

/** Under which quota a new key of this type falls, given by its name. */
export const quotaOf = (type: string | undefined): QuotaKind => (type?.startsWith('rsa-') ? 'rsaKeys' : 'keys')

const aVersion = 'must be a key version: 1 or more'

/** A version number, as a number or as decimal text. */
export const keyVersion = z
  .union([z.int().min(1).max(999_999_999), z.string().regex(/^[1-9]\d{0,8}$/, aVersion)], aVersion)
  .transform(Number)

export const info = z.string().max(4096, 'must have 4096 characters at most')

/** Of a key that rotates by itself: 0 for never, else an hour to ten years, in seconds. */
export const rotationPeriod = z
  .union(
    [
      z.int(),
      z
        .string()
        .regex(/^\d{1,9}$/)
        .transform(Number),
    ],
    'must be a number of seconds',
  )
  .refine(
    (seconds) => seconds === 0 || (seconds >= 3_600 && seconds <= 315_360_000),
    'must be 0 (never), or 3600 (an hour) to 315360000 (ten years) seconds',
  )

/** @throws Fault `key.type_unknown` */
export function keyTypeNamed(name: string): KeyType {
  const type = findKeyType(name)
  const offered = keyTypes.map((known) => known.name).join(', ')
  if (type === undefined) throw new Fault('key.type_unknown', `type is none of the key types: ${offered}.`)
  return type
}

/** @throws Fault `request.invalid`, which names the member */
export function bytesOf(member: string, text: string): Buffer {
  const bytes = decodeBase64(text)
  if (bytes === undefined) throw new Fault('request.invalid', `${member} must be base64 with padding.`)
  return bytes
}

export function optionalBytesOf(member: string, text: string | undefined): Buffer | undefined {
  return text === undefined || text === '' ? undefined : bytesOf(member, text)
}
