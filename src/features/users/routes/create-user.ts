import { z } from 'zod'
import { bitmap, idText, message } from '../../../http/contract/shared-fields.ts'
import { endpoint, flag } from '../../../http/contract/endpoint.ts'
import type { Users } from '../user.ts'
import { userFields, status } from './user-members.ts'
import { userRecord, userSchema } from './user-record.ts'

const body = z.object({
  ...userFields,
  status,
  passphrase: z.string().describe('First pass phrase of the user. It must not be one that is easily guessed.'),
  yubikey: z
    .string()
    .describe(
      'An OTP of the hardware token that the user gets: its first 12 characters name a token that the appliance knows.',
    )
    .optional(),
  totp: flag
    .describe('Whether the user gets an authenticator app, whose seed is in `CALLINFO.otpauth`. Not when absent.')
    .optional(),
})

const createdSchema = z.object({
  id: idText('Id of the new user.'),
  user_created: z.string().describe('Full name of the new user.'),
  user: z.array(userSchema).min(1).max(1).describe('The new user.'),
  calculated_status: bitmap('Capabilities that the user has got.'),
  message,
  otpauth: z
    .string()
    .meta({ format: 'uri' })
    .describe('`otpauth` URI of the new authenticator app. It is shown here and never again.')
    .optional(),
})

/** `POST /user`. The seed of an authenticator app is in `CALLINFO.otpauth` of this answer only. */
export const createUser = (users: Users) =>
  endpoint({
    operation: 'user.create',
    handler: 'UserHandler',
    method: 'POST',
    path: '/user',
    summary: 'Create a user',
    details: 'Without `yubikey` and `totp` the user cannot log in until a second factor is given.',
    access: { kind: 'session', capability: 'admin' },
    success: 201,
    faults: [
      'user.exists',
      'user.invalid',
      'passphrase.refused',
      'login.busy',
      'otp.device_exists',
      'otp.device_invalid',
    ],
    reply: { callinfo: createdSchema },
    body,
    target: { noun: 'user', member: 'username' },
    unechoed: ['passphrase', 'yubikey'],
    async run({ body: { status: capabilities, yubikey, ...fields }, caller, note, commit }) {
      note({ target: `user ${fields.username.slice(0, 64)}: status ${capabilities}` })
      const user = await users.create({ ...fields, capabilities, hardwareOtp: yubikey }, caller.userId, commit)
      const otpPrefixes = yubikey === undefined ? [] : [yubikey.slice(0, 12).toLowerCase()]
      return {
        callinfo: {
          id: String(user.id),
          user_created: user.fullname,
          user: [userRecord({ ...user, otpPrefixes })],
          calculated_status: user.capabilities,
          message: 'User created',
          ...(user.otpauth !== undefined && { otpauth: user.otpauth }),
        },
        general: yubikey === undefined && !fields.totp ? [withoutFactor] : [],
      }
    },
  })

const withoutFactor =
  'The user cannot log in yet: a second factor is missing (yubikey, totp, otpprefix or a certificate).'
