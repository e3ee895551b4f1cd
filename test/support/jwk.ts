import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'

/**
 * The JWK of a key that may just have been generated. Its copy is asked, because Node.js 20 hangs for good where it
 * collects the generator of a pair while it makes the JWK.
 */
export function jwkOf(key: KeyObject): JsonWebKey {
  const copy =
    key.type === 'private'
      ? createPrivateKey({ key: key.export({ type: 'pkcs8', format: 'der' }), type: 'pkcs8', format: 'der' })
      : createPublicKey({ key: key.export({ type: 'spki', format: 'der' }), type: 'spki', format: 'der' })
  return copy.export({ format: 'jwk' })
}
