import { z } from 'zod'
import { endpoint, flag } from '../../../http/contract/endpoint.ts'
import type { Users } from '../user.ts'
import { field, status } from './user-fields.ts'
import { userRecord, userSchema } from './user-record.ts'

const body = z.object({
  username: field,
  fullname: field,
  email: field,
  status,
  passphrase: field,
  yubikey: z.string().optional(),
  totp: flag.optional(),
})

const createdSchema = z.object({
  id: z.string(),
  user_created: z.string().describe('full name'),
  user: z.array(userSchema),
  calculated_status: z.int(),
  message: z.string(),
  otpauth: z.string().optional().describe('otpauth URI of the new authenticator app, this once'),
})

/** `POST /user`. The seed of an authenticator app is in `CALLINFO.otpauth`, this once. */
export const createUser = (users: Users) =>
  endpoint({
    operation: 'user.create',
    handler: 'UserHandler',
    method: 'POST',
    path: '/user',
    summary: 'Create a user',
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
    params: z.object({}),
    body,
    subject: { noun: 'user', member: 'username' },
    unechoed: ['passphrase'],
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
