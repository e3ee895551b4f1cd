import { createPublicKey } from 'node:crypto'
import { invalid } from './new-credential.ts'

export const longestKeyText = 8_192

/** The JWK of a public key given as PEM or as a JWK. @throws Fault `service.invalid` */
export function jwkIn(text: string): unknown {
  // Node would derive the public key, but a private key that was sent here must be considered disclosed.
  if (text.includes('PRIVATE KEY')) throw invalid('This is a private key: make a new one, and give its public half.')
  try {
    return text.trimStart().startsWith('{') ? JSON.parse(text) : createPublicKey(text).export({ format: 'jwk' })
  } catch {
    throw invalid('This is not a public key: give PEM (BEGIN PUBLIC KEY) or a JWK.')
  }
}
