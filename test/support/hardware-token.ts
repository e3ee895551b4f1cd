import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'

/** A hardware token whose OTPs libyubikey's `ykgenerate` makes. */
export class HardwareToken {
  readonly publicId: string
  readonly privateId = randomBytes(6).toString('hex')
  readonly key = randomBytes(16).toString('hex')
  useCounter = 1
  sessionUse = 0

  constructor(
    publicId: string = Array.from(
      randomBytes(6).toString('hex'),
      (digit) => 'cbdefghijklnrtuv'[Number.parseInt(digit, 16)],
    ).join(''),
  ) {
    this.publicId = publicId
  }

  /** What an administrator types when the token is enrolled. */
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
  }

  otpAt(useCounter: number, sessionUse: number, fields: { key?: string; privateId?: string } = {}): string {
    const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')
    const args = [
      fields.key ?? this.key,
      fields.privateId ?? this.privateId,
      hex(useCounter, 4),
      hex(0x1234, 4),
      hex(0x05, 2),
      hex(sessionUse, 2),
    ]
    return this.publicId + execFileSync('ykgenerate', args, { encoding: 'utf8' }).trim()
  }
}

/** The code of this moment, or of `atSeconds`, as `oathtool` computes it. */
export function totpCode(secret: string, atSeconds: number = Math.floor(Date.now() / 1000)): string {
  return execFileSync('oathtool', ['--totp', '--base32', secret, '--now', `@${atSeconds}`], { encoding: 'utf8' }).trim()
}

/** Codes as `oathtool` computes them: `count` of HOTP from this counter on, of a seed in base32. */
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
