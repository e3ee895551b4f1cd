import { createPublicKey } from 'node:crypto'
import { readBytes } from '../config/loader.ts'
import { nameAnother } from './output/prompt.ts'

/** The public key in a PEM file, as SubjectPublicKeyInfo in DER. Throws an Error of any kind where there is none. */
export function readPublicKeyFile(file: string): Buffer {
  return createPublicKey(readBytes(file, nameAnother)).export({ type: 'spki', format: 'der' })
}
