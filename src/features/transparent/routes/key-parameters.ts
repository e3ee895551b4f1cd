import { z } from 'zod'
import { base64, idText, numberText, vaultSegment } from '../../../http/contract/shared-fields.ts'
import { type QuotaKind, vaultParameter } from '../../../http/contract/endpoint.ts'
import { Fault } from '../../../fault.ts'
import { decodeBase64, strictBase64 } from '../../../encoding/base64.ts'
import { isRotationPeriod, rotationPeriods } from '../key-policy.ts'
import { findKeyType, keyTypes, type KeyType } from '../key-type.ts'
import type { TransparentKey } from '../records.ts'

/** Path parameters of every call that names a key. */
export const keyParams = z.object({
  [vaultParameter]: vaultSegment(),
  name: z
    .string()
    .regex(/^\w[\w.-]{0,127}$/, 'must have 1 to 128 letters, digits and _ . - and begin with a letter, a digit or _')
    .describe('Name of the key: 1 to 128 letters, digits and `_ . -`, of which the first is not a dot or dash.'),
})

/** The members by which answers name a key. */
export const keyNames = { name: z.string().describe('Name of the key.'), objectid: idText('Id of the key.') }
export const namesOf = ({ name, id }: Pick<TransparentKey, 'name' | 'id'>) => ({ name, objectid: String(id) })

export const usedVersion = numberText('Version of the key that was used, as text.')
export const latestVersion = numberText('Latest version of the key, as text.')

/** A key type in requests. For an unknown one the refusal lists all types. */
export const keyTypeField = z.string().meta({
  examples: ['aes256-gcm96'],
  description: `Key type: ${keyTypes.map(({ name }) => `\`${name}\``).join(', ')}. \`GET /transparent/types\` says what each can do here.`,
})
export const keyTypeText = z.enum(keyTypes.map(({ name }) => name)).describe('Key type.')

export const residencyWords =
  '`database` the key lies wrapped in the database, `token` it is an object of the token: slower to use, and neither exported nor backed up.'

export const aadField = base64(
  'Additional authenticated data: not encrypted, and needed in the same form to decrypt. Key types without authentication (`ctr`, `ofb`) refuse it. None when absent or empty.',
)
export const plaintextField = base64('The data to encrypt; the limit of the body limits its length.')
/** The form of ciphertexts, signatures and HMACs. */
const versioned = { pattern: '^service:v[1-9]\\d{0,8}:[A-Za-z0-9+/]+={0,2}$' }
export const ciphertextText = z.string().meta({
  ...versioned,
  description:
    'The ciphertext: `service:v`, the key version, a colon, and base64 of IV, encrypted data and, of GCM, the tag (IV of 12 bytes and tag of 16 of GCM; IV of 16 bytes of CTR and OFB).',
})
export const ciphertextField = z
  .string()
  .describe('A ciphertext of this key, as the call that made it answered: `service:v1:…`.')
export const signatureText = (what: string) =>
  z.string().meta({ ...versioned, description: `${what}: \`service:v\`, the key version, a colon, and base64.` })

/** The quota under which creating a key of this type falls. */
export const quotaOf = (type: string | undefined): QuotaKind => (type?.startsWith('rsa-') ? 'rsaKeys' : 'keys')

const aVersion = 'must be a key version: 1 or more'

/** A version number, as a number or as decimal text. */
export const keyVersion = z
  .union([z.int().min(1).max(999_999_999), z.string().regex(/^[1-9]\d{0,8}$/, aVersion)], aVersion)
  .transform(Number)
  .describe('Version of the key: the latest when absent.')

export const keyVersionSegment = keyVersion.describe('Version of the key, from 1.')

export const info = z
  .string()
  .max(4096, 'must have 4096 characters at most')
  .describe('What the key is for, in your words.')

/** Rotation period in seconds: 0 for never, else an hour to ten years. */
export const rotationPeriod = z
  .union(
    [
      z.int().meta({ minimum: 0, maximum: rotationPeriods.longest / 1_000 }),
      z
        .string()
        .regex(/^\d{1,9}$/)
        .transform(Number),
    ],
    'must be a number of seconds',
  )
  .refine(
    (seconds) => seconds === 0 || isRotationPeriod(seconds * 1_000),
    'must be 0 (never), or 3600 (an hour) to 315360000 (ten years) seconds',
  )
  .describe('Seconds after which the key gets a new version by itself: 0 never, or 3600 to 315360000 (ten years).')

/** @throws Fault `key.type_unknown` */
export function keyTypeNamed(name: string): KeyType {
  const type = findKeyType(name)
  if (type !== undefined) return type
  const offered = keyTypes.map((known) => known.name).join(', ')
  throw new Fault('key.type_unknown', `type is none of the key types: ${offered}.`)
}

/** @throws Fault `request.invalid`, which names the member */
export function base64Member(member: string, text: string): Buffer {
  const bytes = decodeBase64(text)
  if (bytes === undefined) throw new Fault('request.invalid', `${member} must be ${strictBase64}.`)
  return bytes
}

export function optionalBase64Member(member: string, text: string | undefined): Buffer | undefined {
  return text === undefined || text === '' ? undefined : base64Member(member, text)
}
