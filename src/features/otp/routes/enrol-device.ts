import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { Fault } from '../../../fault.ts'
import { codeAlgorithms } from '../code-parameters.ts'
import type { Devices } from '../devices.ts'
import type { Enrolments, Holder } from '../enrolment.ts'
import type { OtpDevice } from '../records.ts'
import { qrImage, seedOf } from '../otpauth-uri.ts'
import type { Commit } from '../../../store/store.ts'
import { onHoldNotice, type Recoveries } from '../../users/recovery.ts'
import { userIdOf, userParams } from '../../../http/contract/shared-fields.ts'
import { deviceRecord, deviceSchema, kindField } from './device-record.ts'

const aNumber = 'must be a whole number'
const number = (what: string) =>
  z
    .union([z.int().min(0), z.string().regex(/^\d{1,15}$/, aNumber)], aNumber)
    .transform(Number)
    .describe(what)
    .optional()
const text = (what: string) => z.string().max(256).describe(what).optional()

const body = z.object({
  kind: kindField,
  algorithm: z
    .string()
    .toLowerCase()
    .pipe(z.enum(codeAlgorithms))
    .describe(
      'Of `totp` and `hotp`: the hash, `sha1`, `sha256` or `sha512`. `sha1` when absent, which every app knows.',
    )
    .optional(),
  digits: number('Of `totp` and `hotp`: digits of a code, 6 to 8. 6 when absent.'),
  period: number('Of `totp`: seconds for which a code is shown, 15 to 120. 30 when absent.'),
  counter: number('Of `hotp`: the present counter of a token that is already in use. 0 when absent.'),
  public_id: text(
    'Of `hwkey_otp`, where it is required: 12 modhex characters. By itself it gives the user a token that the appliance already knows.',
  ),
  private_id: text('Of `hwkey_otp`: 6 bytes in hexadecimal.'),
  secret: text(
    'Of `hwkey_otp` 16 bytes in hexadecimal, the AES key; of `totp` and `hotp` a seed of 16 to 64 bytes in base32. Where an app or HOTP token comes without, the token of the appliance makes a seed.',
  ),
})
type Body = z.infer<typeof body>

const enrolledSchema = z.object({
  otpdevice: deviceSchema,
  uri: z
    .string()
    .meta({ format: 'uri' })
    .describe('`otpauth` URI of a seed that was made here. Shown this once.')
    .optional(),
  secret: z.string().describe('The seed that was made here, in base32. Shown this once.').optional(),
  qr: z.string().meta({ contentMediaType: 'image/svg+xml' }).describe('The URI as a QR code, an SVG.').optional(),
})

/**
 * `POST /user/:userid/otp`: gives a user a device. A seed that is made here is in this answer only; secrets that were
 * sent are not repeated. A hardware token that is registered already is given by its `public_id` alone.
 */
export const enrolDevice = (devices: Devices, enrolments: Enrolments, recoveries: Recoveries) =>
  endpoint({
    operation: 'user.otp.enrol',
    handler: 'UserHandler',
    method: 'POST',
    path: '/user/:userid/otp',
    summary: 'Give a user an OTP device',
    details:
      'A seed that is made here is in this one answer and is never shown again. Unless the operator has turned it off, memberships of the user in vaults are on hold until another Admin confirms them.',
    access: { kind: 'session', capability: 'admin' },
    success: 201,
    faults: ['user.not_found', 'otp.device_exists', 'otp.device_limit', 'otp.device_invalid', 'otp.device_not_found'],
    reply: { callinfo: enrolledSchema },
    params: userParams,
    body,
    unechoed: ['secret', 'private_id'],
    async run({ params, body, caller, note, commit }) {
      const holder = await devices.holder(userIdOf(params.userid))
      note({ target: `user ${holder.id}: ${body.kind} ${body.public_id ?? ''}`.trim() })
      refuseForeign(body)
      const gift = { holder, by: caller.userId, commit }
      const callinfo =
        body.kind === 'hwkey_otp'
          ? { otpdevice: deviceRecord(await giveToken(devices, enrolments, gift, body)) }
          : await enrolCodes(enrolments, gift, { ...body, kind: body.kind })
      return { callinfo, general: await onHoldNotice(recoveries, holder.id) }
    },
  })

/** Who gives which user a device. */
interface Gift {
  readonly holder: Holder
  readonly by: number
  readonly commit: Commit
}

async function enrolCodes(
  enrolments: Enrolments,
  { holder, by, commit }: Gift,
  { kind, algorithm, digits, period, counter, secret }: Body & { kind: 'totp' | 'hotp' },
): Promise<Record<string, unknown>> {
  const seed = secret === undefined ? undefined : seedOf(secret)
  if (secret !== undefined && seed === undefined)
    throw new Fault('otp.device_invalid', 'secret must be base32, as in otpauth URIs.')
  const request = { kind, algorithm, digits, periodSeconds: period, counter, seed }
  const enrolled = await enrolments.enrolCodes(holder, request, by, commit)
  const record = { otpdevice: deviceRecord(enrolled.device) }
  if (seed !== undefined) return record
  return { ...record, uri: enrolled.uri, secret: enrolled.secret, qr: await qrImage(enrolled.uri) }
}

async function giveToken(
  devices: Devices,
  enrolments: Enrolments,
  { holder: { id }, by, commit }: Gift,
  { public_id: publicId, private_id: privateId, secret }: Body,
): Promise<OtpDevice> {
  if (publicId === undefined) throw new Fault('request.invalid', 'public_id is missing.')
  if (privateId === undefined && secret === undefined) return commit((tx) => devices.assign(tx, id, publicId, by))
  const token = { publicId, privateId: hexOf('private_id', privateId, 6), secret: hexOf('secret', secret, 16) }
  return enrolments.enrolHardwareToken(id, token, by, commit)
}

// The message must not repeat the text, which may be part of a secret.
function hexOf(member: string, text: string | undefined, bytes: number): Buffer {
  if (text !== undefined && text.length === bytes * 2 && /^[0-9a-f]*$/i.test(text)) return Buffer.from(text, 'hex')
  throw new Fault('otp.device_invalid', `${member} must have ${bytes * 2} hexadecimal digits.`)
}

const codeMembers = ['algorithm', 'digits', 'period', 'counter'] as const
const tokenMembers = ['public_id', 'private_id'] as const

/** Refuses members that the kind of device does not use, since the client would believe that they took effect. */
function refuseForeign(body: Body): void {
  const foreign = body.kind === 'hwkey_otp' ? codeMembers : tokenMembers
  for (const member of foreign)
    if (body[member] !== undefined)
      throw new Fault('otp.device_invalid', `${member} does not go with the kind ${body.kind}.`)
}
