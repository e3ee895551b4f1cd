import { z } from 'zod'
import { responseVersions } from '../../../access/caller.ts'
import { bitmapText, idText, moment } from '../../../http/contract/shared-fields.ts'
import { passkeyField } from '../../passkeys/presented-passkey.ts'
import { anyLoginTypeField, otpWords, secret, serviceLoginTypes, smartcardTypes } from '../credentials.ts'

const withType = (types: readonly string[]) => ({
  logintype: { enum: types, description: 'Kind of the login.' },
})

/** The body of a login: with `keys`, with separate members, or of a service account. */
export const loginBody = z
  .object({
    username: z.string().min(1).max(128).describe('Login name; every login of a person has it.').optional(),
    keys: secret
      .describe('Pass phrase, application key and one-time password in this order, with nothing between them.')
      .optional(),
    passphrase: secret.describe('Pass phrase of the user.').optional(),
    otp: secret.describe(otpWords).optional(),
    passkey: passkeyField.optional(),
    apikey: secret
      .describe('Application key: an administrator of the appliance makes one for each application.')
      .optional(),
    logintype: anyLoginTypeField.optional(),
    account: z.string().min(1).max(128).describe('Name of the service account.').optional(),
    assertion: z
      .string()
      .max(8_192)
      .describe(
        'JWT in the compact form: signed by the key of the account (`service_jwt`), or by an issuer (`service_federated`).',
      )
      .optional(),
    key: secret.describe('Static key of a service account (`service_static`).').optional(),
    session: z
      .enum(['token', 'cookie'])
      .describe('Where the token goes: into `CALLINFO`, or, only for pages of the appliance, into a cookie.')
      .default('token'),
  })
  .meta({
    anyOf: [
      { title: 'In one text', required: ['username', 'keys'] },
      { title: 'One by one', required: ['username', 'passphrase', 'apikey', 'otp'] },
      {
        title: 'With a smartcard',
        required: ['username', 'passphrase', 'apikey', 'logintype'],
        properties: withType(smartcardTypes),
      },
      {
        title: 'With a passkey, to a challenge of `POST /auth/challenge`',
        required: ['username', 'passphrase', 'apikey', 'passkey', 'logintype'],
        properties: withType(['webauthn']),
      },
      {
        title: 'As a service account',
        required: ['account', 'logintype'],
        properties: withType(serviceLoginTypes.filter((type) => type !== 'service_jwt')),
      },
      {
        title: 'As a service account, by an assertion that names it',
        required: ['assertion', 'logintype'],
        properties: withType(['service_jwt']),
      },
    ],
  })

/** An empty list is an empty array, as published clients expect it. */
const listSchema = z.union([
  z.array(z.string()).max(0).describe('There is none.'),
  z.record(z.string(), z.string()).describe('A sentence for people each, by a name such as `passphrase_weak`.'),
])

export const loginResultSchema = z.object({
  fingerprint: z.string().describe('Fingerprint of the public key of the user: 40 hexadecimal digits.'),
  userid: idText('Id of the user.'),
  password: z.literal('').describe('Always empty.'),
  userstatus: bitmapText('Capabilities of the user.'),
  username: z.string().describe('Login name of the user.'),
  fullname: z.string().describe('Full name of the user.'),
  timeout: z
    .int()
    .min(0)
    .describe('Milliseconds without a call after which the session ends; of a service account until it ends.'),
  filesupport: z
    .int()
    .min(0)
    .describe('Kinds of files that objects can hold: a fixed number, which published clients read.'),
  version: z.enum(responseVersions).describe('Release whose form the answers have; a setting of the application key.'),
  expires: moment('Of a service account: when its session ends, and it logs in again.').optional(),
  audit: z
    .object({
      violations: listSchema.describe('Rules of this site that the user breaks now.'),
      warnings: listSchema.describe('Rules that the user will soon break, and unusual events.'),
    })
    .describe('What the user should know.'),
})
