import { decodeBase64 } from '../../encoding/base64.ts'
import { Fault } from '../../fault.ts'
import type { CipherRow } from './key-type.ts'

/** The output of a key version. For encryption it is IV ‖ ciphertext ‖ tag, with the lengths of the key type. */
export interface Ciphertext {
  readonly version: number
  readonly bytes: Buffer
}

/** The text form of a ciphertext (spec: Encrypt data): `service:v<version>:` and base64. */
const form = /^(?:service|storedsafe):v([1-9]\d{0,8}):/

export function writeCiphertext({ version, bytes }: Ciphertext): string {
  return `service:v${version}:${bytes.toString('base64')}`
}

/** @throws Fault `ciphertext.malformed` */
export function readCiphertext(text: string): Ciphertext {
  const match = form.exec(text)
  if (match === null)
    throw new Fault(
      'ciphertext.malformed',
      'A ciphertext begins with service:v and its key version, for example service:v1:.',
    )
  const bytes = decodeBase64(text.slice(match[0].length))
  if (bytes === undefined)
    throw new Fault('ciphertext.malformed', 'After its prefix a ciphertext is base64 with padding; this one is not.')
  return { version: Number(match[1]), bytes }
}

/** @throws Fault `ciphertext.malformed` when it is shorter than IV and tag together */
export function checkLength({ bytes }: Ciphertext, { ivBytes, tagBytes }: CipherRow): void {
  if (bytes.length < ivBytes + tagBytes)
    throw new Fault('ciphertext.malformed', 'The ciphertext is cut short: send the whole of it.')
}
