import { createPublicKey } from 'node:crypto'
import type { Terminal } from './output/terminal.ts'

/** The public key in a PEM file, as SubjectPublicKeyInfo in DER. Throws an Error of any kind where there is none. */
export async function readPublicKeyFile(terminal: Terminal, file: string): Promise<Buffer> {
  return createPublicKey(await terminal.readInput(file)).export({ type: 'spki', format: 'der' })
}
