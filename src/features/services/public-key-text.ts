import { createPublicKey } from 'node:crypto'
import { invalid } from './new-credential.ts'

export const longestKeyText = 8_192

/** The JWK of a public key that is given as PEM, or as a JWK itself. @throws Fault `service.invalid` */
export function jwkIn(text: string): unknown {
  // Node would take the public half out of a private key, which then has been seen here all the same.
  if (text.includes('PRIVATE KEY')) throw invalid('This is a private key: make a new one, and give its public half.')
  try {
    return text.trimStart().startsWith('{') ? JSON.parse(text) : createPublicKey(text).export({ format: 'jwk' })
  } catch {
    throw invalid('This is not a public key: give PEM (BEGIN PUBLIC KEY) or a JWK.')
  }
}
