import { Fault } from '../../fault.ts'
import { decodeBase64 } from '../../encoding/base64.ts'
import type { CipherRow } from './key-type.ts'

/** The text form of a ciphertext (spec: Encrypt data): `service:v<version>:` and base64 of IV ‖ ciphertext ‖ tag. */
const form = /^(?:service|storedsafe):v([1-9]\d{0,8}):/

export function writeCiphertext(version: number, sealedText: Buffer): string {
  return `service:v${version}:${sealedText.toString('base64')}`
}

export interface Ciphertext {
  readonly version: number
  /** IV ‖ ciphertext ‖ tag. */
  readonly sealedText: Buffer
}

/** @throws Fault `ciphertext.malformed` */
export function readCiphertext(text: string): Ciphertext {
  const match = form.exec(text)
  if (match === null)
    throw new Fault(
      'ciphertext.malformed',
      'A ciphertext begins with service:v and its key version, for example service:v1:.',
    )
  const sealedText = decodeBase64(text.slice(match[0].length))
  if (sealedText === undefined)
    throw new Fault('ciphertext.malformed', 'After its prefix a ciphertext is base64 with padding; this one is not.')
  return { version: Number(match[1]), sealedText }
}

/** @throws Fault `ciphertext.malformed` when it is shorter than an empty text's would be */
export function checkLength(ciphertext: Ciphertext, cipher: CipherRow): void {
  if (ciphertext.sealedText.length < cipher.ivBytes + cipher.tagBytes)
    throw new Fault('ciphertext.malformed', 'The ciphertext is cut short.')
}
