import { operatorId } from '../../access/confirmation.ts'
import type { Command } from 'commander'
import {
  codeAlgorithms,
  type CodeAlgorithm,
  type CodeKind,
  type CodeRequest,
} from '../../features/otp/code-parameters.ts'
import { readLogLine } from '../../features/otp/device-log.ts'
import type { HardwareToken } from '../../features/otp/enrolment.ts'
import { seedOf } from '../../features/otp/otpauth-uri.ts'
import { readSecret } from '../../config/loader.ts'
import type { Answer } from '../output/command-answer.ts'
import { onHoldNotice } from '../../features/users/recovery.ts'
import { withAppliance } from '../console-context.ts'
import { UsageError } from '../exit-code.ts'
import { answering, type Invocation } from '../invocation.ts'
import { firstLine, nameAnother, type Terminal } from '../output/terminal.ts'
import { qrCode } from '../output/qr-code.ts'

const help = `
Give exactly one of --totp, --hotp and --hardware-token. A seed that the command makes is shown once, as an otpauth
URI and a QR code, and cannot be shown again; --seed-file is for tokens that have a seed already. Few apps
read other algorithms, digits and periods than the usual ones (sha1, 6, 30): try before you hand them out. The
secrets of a hardware token come from files, from prompts, or as one line "publicid,privateid,secret" on
standard input, never from arguments. The public id is modhex (the 16 letters cbdefghijklnrtuv), the private id
and the secret are hexadecimal; lines of Yubico's tools work too.

Examples:
  strongroom otp enroll alice --totp
  strongroom otp enroll alice --hotp --seed-file seed.txt --digits 8
  strongroom otp enroll alice --hardware-token --public-id vvccccdddfgh
  ykman otp yubiotp 1 --generate-key … --config-output - | strongroom otp enroll alice --hardware-token`

interface Options {
  readonly totp?: true
  readonly hotp?: true
  readonly hardwareToken?: true
  readonly algorithm?: string
  readonly digits?: string
  readonly period?: string
  readonly counter?: string
  readonly seedFile?: string
  readonly publicId?: string
  readonly privateIdFile?: string
  readonly secretFile?: string
}

export function addOtpEnroll(otp: Command): void {
  otp
    .command('enroll')
    .description('give a user a second factor')
    .argument('<user>', 'login name')
    .option('--totp', 'an authenticator app (RFC 6238)')
    .option('--hotp', 'a token that makes a code at each press (RFC 4226)')
    .option('--algorithm <name>', `hash of the codes: ${codeAlgorithms.join(', ')}`)
    .option('--digits <number>', 'length of the codes: 6 to 8')
    .option('--period <seconds>', 'how long a TOTP code lasts: 15 to 120')
    .option('--counter <number>', 'counter that a HOTP token has reached')
    .option('--seed-file <file>', 'file with the seed that a token has already, in base32')
    .option('--hardware-token', 'a hardware token that types 44-character passwords (Yubico OTP)')
    .option('--public-id <modhex>', 'its public id: the 12 characters that its passwords begin with')
    .option('--private-id-file <file>', 'file with its private id, 12 hexadecimal digits')
    .option('--secret-file <file>', 'file with its AES key, 32 hexadecimal digits')
    .addHelpText('after', help)
    .action(
      answering(async (invocation: Invocation, username: string, options: Options) => {
        if ([options.totp, options.hotp, options.hardwareToken].filter(Boolean).length !== 1)
          throw new UsageError('Say which kind of second factor: --totp, --hotp or --hardware-token.')
        refuseForeign(options)
        return options.hardwareToken
          ? enrollHardwareToken(invocation, username, await readToken(invocation.terminal, options))
          : enrollCodes(invocation, username, requestOf(options))
      }),
    )
}

const codeOptions = ['algorithm', 'digits', 'period', 'counter', 'seedFile'] as const
const tokenOptions = ['publicId', 'privateIdFile', 'secretFile'] as const

/** Refuses options of the other kind of device, because silently ignoring them would mislead. */
function refuseForeign(options: Options): void {
  const foreign = options.hardwareToken ? codeOptions : tokenOptions
  if (foreign.some((name) => options[name] !== undefined))
    throw new UsageError(
      `--${options.hardwareToken ? 'hardware-token' : 'totp and --hotp'} cannot go with options of the other kind of device.`,
    )
}

function requestOf({ hotp, algorithm, digits, period, counter, seedFile }: Options): CodeRequest {
  return {
    kind: hotp ? 'hotp' : 'totp',
    algorithm: algorithm === undefined ? undefined : algorithmNamed(algorithm),
    digits: wholeNumber('--digits', digits),
    periodSeconds: wholeNumber('--period', period),
    counter: wholeNumber('--counter', counter),
    seed: seedFile === undefined ? undefined : seedIn(seedFile),
  }
}

function algorithmNamed(name: string): CodeAlgorithm {
  const algorithm = codeAlgorithms.find((known) => known === name.toLowerCase())
  if (algorithm === undefined) throw new UsageError(`--algorithm must be one of ${codeAlgorithms.join(', ')}.`)
  return algorithm
}

function wholeNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`${option} must be a whole number.`)
  return Number(text)
}

function seedIn(file: string): Buffer {
  const seed = seedOf(readSecret(file, nameAnother))
  if (seed === undefined)
    throw new UsageError('The seed file must hold base32 (A to Z and 2 to 7), as otpauth URIs do.')
  return seed
}

const kindNames: Readonly<Record<CodeKind, string>> = { totp: 'TOTP', hotp: 'HOTP' }

async function enrollCodes(invocation: Invocation, username: string, request: CodeRequest): Promise<Answer> {
  const { kind } = request
  const { uri, secret, device, notice } = await withAppliance(invocation, ({ change, services }) =>
    change('otp.enroll', `user ${username}: ${kindNames[kind]}`, async (commit) => {
      const user = await services.users.find(username)
      const enrolled = await services.enrolments.enrolCodes(user, request, operatorId, commit)
      return { ...enrolled, notice: await onHoldNotice(services.recoveries, user.id) }
    }),
  )
  if (request.seed !== undefined)
    return {
      json: { username, kind, id: device.id },
      lines: [`User ${username} may now log in with this ${kindNames[kind]} device.`, ...notice],
    }
  return {
    json: { username, kind, id: device.id, uri, secret },
    lines: [
      `Scan this with the authenticator app of ${username}, now: it is shown this once.`,
      '',
      ...qrCode(uri).map((line) => invocation.terminal.blackOnWhite(line)),
      '',
      uri,
      `By hand: ${secret.replaceAll(/.{4}(?=.)/g, '$& ')}`,
      ...notice,
    ],
  }
}

async function enrollHardwareToken(invocation: Invocation, username: string, token: HardwareToken): Promise<Answer> {
  const { publicId } = token
  const notice = await withAppliance(invocation, ({ change, services }) =>
    change('otp.enroll', `user ${username}: hardware token ${publicId}`, async (commit) => {
      const { id } = await services.users.find(username)
      await services.enrolments.enrolHardwareToken(id, token, operatorId, commit)
      return onHoldNotice(services.recoveries, id)
    }),
  )
  return {
    json: { username, kind: 'hwkey_otp', publicId },
    lines: [`User ${username} may now log in with the hardware token ${publicId}.`, ...notice],
  }
}

async function readToken(terminal: Terminal, { publicId, privateIdFile, secretFile }: Options): Promise<HardwareToken> {
  const secretFrom = async (file: string | undefined, option: string, question: string): Promise<string> => {
    if (file !== undefined) return readSecret(file, nameAnother)
    if (!terminal.isInteractive) throw new UsageError(`There is no terminal to ask at: give ${option} FILE.`)
    return terminal.askSecret(question)
  }
  if (publicId === undefined && privateIdFile === undefined && secretFile === undefined) {
    if (terminal.isInteractive)
      throw new UsageError('Give --public-id, or one line "publicid,privateid,secret" on standard input.')
    return readLine(firstLine(await terminal.standardInput()))
  }
  if (publicId === undefined) throw new UsageError('--public-id is missing.')
  return {
    publicId,
    privateId: hex(await secretFrom(privateIdFile, '--private-id-file', 'Private id (12 hexadecimal digits): '), 6),
    secret: hex(await secretFrom(secretFile, '--secret-file', 'AES key (32 hexadecimal digits): '), 16),
  }
}

function readLine(line: string): HardwareToken {
  const read = readLogLine(line)
  if (read.kind === 'hwkey_otp') return read
  const why = read.kind === 'unusable' ? read.why : 'it describes no hardware token of this kind'
  throw new UsageError(`The line on standard input cannot be used: ${why} ("publicid,privateid,secret" is expected).`)
}

// The message does not repeat the text, which may be part of a secret.
function hex(text: string, bytes: number): Buffer {
  const digits = text.replaceAll(/\s/g, '')
  if (digits.length === bytes * 2 && /^[0-9a-f]*$/i.test(digits)) return Buffer.from(digits, 'hex')
  throw new UsageError(`${bytes === 6 ? 'The private id' : 'The AES key'} must have ${bytes * 2} hexadecimal digits.`)
}
