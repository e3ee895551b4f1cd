import { generateURI } from 'otplib'
import { base32nopad } from '@scure/base'
import QRCode from 'qrcode'
import type { CodeParameters } from './code-parameters.ts'

const issuer = 'Strongroom'

/** A seed as apps and people write it: base32 in upper case without padding. */
export function seedText(seed: Buffer): string {
  return base32nopad.encode(seed)
}

/** Undefined for anything but base32. Blanks, lower case and padding are accepted. */
export function seedOf(text: string): Buffer | undefined {
  try {
    return Buffer.from(base32nopad.decode(text.replaceAll(/[\s-]|=+$/g, '').toUpperCase()))
  } catch {
    return undefined
  }
}

/** The otpauth URI that authenticator apps scan. It contains only parameters that differ from the usual values. */
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

/** A QR code as the data URI of an SVG image, for direct display. */
export async function qrImage(text: string): Promise<string> {
  const svg = await QRCode.toString(text, { type: 'svg', errorCorrectionLevel: 'L' })
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`
}
