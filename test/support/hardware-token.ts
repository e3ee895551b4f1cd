import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'

/** A hardware token whose OTPs libyubikey's `ykgenerate` makes. */
export class HardwareToken {
  readonly publicId: string
  readonly privateId = randomBytes(6).toString('hex')
  readonly key = randomBytes(16).toString('hex')
  useCounter = 1
  sessionUse = 0
  #pluggedInAt = Date.now()

  constructor(
    publicId: string = Array.from(
      randomBytes(6).toString('hex'),
      (digit) => 'cbdefghijklnrtuv'[Number.parseInt(digit, 16)],
    ).join(''),
  ) {
    this.publicId = publicId
  }

  /** The values that an administrator types to enrol the token. */
  secrets(): { publicId: string; privateId: Buffer; secret: Buffer } {
    return {
      publicId: this.publicId,
      privateId: Buffer.from(this.privateId, 'hex'),
      secret: Buffer.from(this.key, 'hex'),
    }
  }

  /** The next OTP: 44 modhex characters. */
  press(): string {
    this.sessionUse += 1
    if (this.sessionUse > 255) this.replug()
    return this.otpAt(this.useCounter, this.sessionUse)
  }

  replug(): void {
    this.useCounter += 1
    this.sessionUse = 0
    this.#pluggedInAt = Date.now()
  }

  /** Its clock now: 8 ticks a second since it was plugged in. */
  get ticks(): number {
    return 0x51234 + Math.floor(((Date.now() - this.#pluggedInAt) * 8) / 1000)
  }

  otpAt(
    useCounter: number,
    sessionUse: number,
    fields: { key?: string; privateId?: string; ticks?: number } = {},
  ): string {
    const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')
    const ticks = (fields.ticks ?? this.ticks) % 2 ** 24
    const args = [
      fields.key ?? this.key,
      fields.privateId ?? this.privateId,
      hex(useCounter, 4),
      hex(ticks & 0xffff, 4),
      hex(ticks >> 16, 2),
      hex(sessionUse, 2),
    ]
    return this.publicId + execFileSync('ykgenerate', args, { encoding: 'utf8' }).trim()
  }

  /** An OTP by another implementation, python3-yubiotp. With `badCrc`, one bit of its checksum is wrong. */
  otpInPython(useCounter: number, sessionUse: number, { badCrc = false } = {}): string {
    const { privateId, key, publicId } = this
    const otp = [`bytes.fromhex('${privateId}')`, useCounter, this.ticks % 2 ** 24, sessionUse, 0x1234].join(', ')
    const program = [
      'from yubiotp.otp import OTP, AES, modhex',
      `block = bytearray(OTP(${otp}).pack())`,
      `block[15] ^= ${badCrc ? 1 : 0}`,
      `print('${publicId}' + modhex(AES.new(bytes.fromhex('${key}'), AES.MODE_ECB).encrypt(bytes(block))).decode())`,
    ]
    return execFileSync('/usr/bin/python3', ['-c', program.join('\n')], { encoding: 'utf8' }).trim()
  }
}

const nowSeconds = (): number => Math.floor(Date.now() / 1000)
const stepSeconds = 30
/** Time step of the last code of each seed. */
const lastSteps = new Map<string, number>()

/** The code of now, or of `atSeconds`, by `oathtool`. */
export function totpCode(secret: string, atSeconds: number = nowSeconds()): string {
  lastSteps.set(secret, Math.floor(atSeconds / stepSeconds))
  return execFileSync('oathtool', ['--totp', '--base32', secret, '--now', `@${atSeconds}`], { encoding: 'utf8' }).trim()
}

/**
 * The code after the last one, which is not always that of half a minute from now. A code that is checked one step late
 * indicates a slow clock (RFC 6238 §6), and a later check then refuses codes of coming steps.
 */
export function nextTotpCode(secret: string): string {
  const after = ((lastSteps.get(secret) ?? -1) + 1) * stepSeconds
  return totpCode(secret, Math.max(after, nowSeconds()))
}

/** `count` HOTP codes from this counter on, by `oathtool`, for a seed in base32. */
export function hotpCodes(
  secret: string,
  counter: number,
  { count = 1, digits = 6 }: { count?: number; digits?: number } = {},
): string[] {
  const args = [`--counter=${counter}`, `--window=${count - 1}`, `--digits=${digits}`, '--base32', secret]
  return execFileSync('oathtool', ['--hotp', ...args], { encoding: 'utf8' })
    .trim()
    .split('\n')
}
