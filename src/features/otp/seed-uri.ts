import { generateHOTP, generateTOTP } from '@otplib/uri'
import { base32nopad } from '@scure/base'
import type { CodeParameters } from './code-parameters.ts'

const issuer = 'Strongroom'

/** A seed as apps and people write it: base32 in upper case, without padding. */
export function seedText(seed: Buffer): string {
  return base32nopad.encode(seed)
}

/** Undefined for anything but base32; blanks, lower case and padding are forgiven. */
export function seedOf(text: string): Buffer | undefined {
  try {
    return Buffer.from(base32nopad.decode(text.replaceAll(/[\s-]|=+$/g, '').toUpperCase()))
  } catch {
    return undefined
  }
}

/** The otpauth URI that authenticator apps scan. It says what differs from their usual reading only. */
export function seedUri(parameters: CodeParameters, label: string, secret: string, counter: number): string {
  const { kind, algorithm, digits, periodSeconds } = parameters
  const common = {
    issuer,
    label,
    secret,
    ...(algorithm !== 'sha1' && { algorithm }),
    ...(digits !== 6 && { digits }),
  }
  if (kind === 'hotp') return generateHOTP({ ...common, counter })
  return generateTOTP({ ...common, ...(periodSeconds !== 30 && { period: periodSeconds ?? 30 }) })
}
