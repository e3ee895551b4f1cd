import type { Command } from 'commander'
import { isPublicId } from '../otp/yubico.ts'
import type { HardwareToken } from '../otp/enrolment.ts'
import { readSecret } from '../config/loader.ts'
import type { Answer } from './answer.ts'
import { atDesk } from './desk.ts'
import { UsageError } from './exit-code.ts'
import { answering, type Globals } from './globals.ts'
import { askSecret, firstLine, standardInput } from './prompt.ts'
import { qrCode } from './qr-code.ts'

const help = `
Give exactly one of --totp and --hardware-token. The seed of an authenticator app is shown once, as an otpauth
URI and a QR code, and cannot be shown again. The secrets of a hardware token come from files, from prompts, or
as one line "publicid,privateid,secret" (hexadecimal; lines of Yubico's tools work too) on standard input; never
from arguments.

Examples:
  strongroom otp enroll alice --totp
  strongroom otp enroll alice --hardware-token --public-id vvccccdddfgh
  ykman otp yubiotp 1 --generate-key … --config-output - | strongroom otp enroll alice --hardware-token`

interface Options {
  readonly totp?: true
  readonly hardwareToken?: true
  readonly publicId?: string
  readonly privateIdFile?: string
  readonly secretFile?: string
}

export function addOtpEnroll(otp: Command): void {
  otp
    .command('enroll')
    .description('Gives a user a second factor.')
    .argument('<user>', 'login name')
    .option('--totp', 'an authenticator app (RFC 6238: SHA-1, 6 digits, 30 seconds)')
    .option('--hardware-token', 'a hardware token that types 44-character passwords (Yubico OTP)')
    .option('--public-id <modhex>', 'its public id: the 12 characters that its passwords begin with')
    .option('--private-id-file <file>', 'file with its private id, 12 hexadecimal digits')
    .option('--secret-file <file>', 'file with its AES key, 32 hexadecimal digits')
    .addHelpText('after', help)
    .action(
      answering(async ({ config }: Globals, username: string, options: Options) => {
        if ((options.totp === undefined) === (options.hardwareToken === undefined))
          throw new UsageError('Say which kind of second factor: --totp or --hardware-token.')
        return options.totp
          ? enrollTotp(config, username)
          : enrollHardwareToken(config, username, await readToken(options))
      }),
    )
}

async function enrollTotp(config: string, username: string): Promise<Answer> {
  const { uri, secret } = await atDesk(config, ({ change, services }) =>
    change('otp.enroll', `user ${username}: TOTP`, async (commit) =>
      services.enrolments.enrolTotp(await services.users.find(username), commit),
    ),
  )
  return {
    json: { username, kind: 'totp', uri, secret },
    lines: [
      `Scan this with the authenticator app of ${username}, now: it is shown this once.`,
      '',
      ...qrCode(uri),
      '',
      uri,
      `By hand: ${secret.replaceAll(/.{4}(?=.)/g, '$& ')}`,
    ],
  }
}

async function enrollHardwareToken(config: string, username: string, token: HardwareToken): Promise<Answer> {
  const { publicId } = token
  await atDesk(config, ({ change, services }) =>
    change('otp.enroll', `user ${username}: hardware token ${publicId}`, async (commit) =>
      services.enrolments.enrolHardwareToken((await services.users.find(username)).id, token, commit),
    ),
  )
  return {
    json: { username, kind: 'hwkey_otp', publicId },
    lines: [`User ${username} may now log in with the hardware token ${publicId}.`],
  }
}

async function readToken({ publicId, privateIdFile, secretFile }: Options): Promise<HardwareToken> {
  if (publicId === undefined && privateIdFile === undefined && secretFile === undefined) {
    if (process.stdin.isTTY)
      throw new UsageError('Give --public-id, or one line "publicid,privateid,secret" on standard input.')
    return readLine(firstLine(await standardInput()))
  }
  if (publicId === undefined) throw new UsageError('--public-id is missing.')
  return {
    publicId,
    privateId: hex(await secretFrom(privateIdFile, '--private-id-file', 'Private id (12 hexadecimal digits): '), 6),
    secret: hex(await secretFrom(secretFile, '--secret-file', 'AES key (32 hexadecimal digits): '), 16),
  }
}

async function secretFrom(file: string | undefined, option: string, question: string): Promise<string> {
  if (file !== undefined) return readSecret(file)
  if (!process.stdin.isTTY) throw new UsageError(`There is no terminal to ask at: give ${option} FILE.`)
  return askSecret(question)
}

/** Yubico's tools write the serial number of the device before these three fields, and other things after them. */
function readLine(line: string): HardwareToken {
  const fields = line.split(',').map((field) => field.trim())
  const at = fields.findIndex(isPublicId)
  if (at < 0)
    throw new UsageError('The line on standard input holds no public id: "publicid,privateid,secret" is expected.')
  return { publicId: fields[at] ?? '', privateId: hex(fields[at + 1] ?? '', 6), secret: hex(fields[at + 2] ?? '', 16) }
}

// The message must not repeat what may be half of a secret.
function hex(text: string, bytes: number): Buffer {
  const digits = text.replaceAll(/\s/g, '')
  if (digits.length === bytes * 2 && /^[0-9a-f]*$/i.test(digits)) return Buffer.from(digits, 'hex')
  throw new UsageError(`${bytes === 6 ? 'The private id' : 'The AES key'} must have ${bytes * 2} hexadecimal digits.`)
}
