import { generateURI } from 'otplib'
import { base32nopad } from '@scure/base'
import QRCode from 'qrcode'
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

/** The otpauth URI that authenticator apps scan. It names only what differs from the values that every app assumes. */
export function seedUri(parameters: CodeParameters, label: string, secret: string, counter: number): string {
  const { kind, algorithm, digits, periodSeconds } = parameters
  const common = {
    issuer,
    label,
    secret,
    ...(algorithm !== 'sha1' && { algorithm }),
    ...(digits !== 6 && { digits }),
  }
  if (kind === 'hotp') return generateURI({ ...common, strategy: 'hotp', counter })
  return generateURI({ ...common, strategy: 'totp', ...(periodSeconds !== 30 && { period: periodSeconds ?? 30 }) })
}

/** A QR code as the URI of an SVG image, to be shown as it is. */
export async function qrImage(text: string): Promise<string> {
  const svg = await QRCode.toString(text, { type: 'svg', errorCorrectionLevel: 'L' })
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
}
