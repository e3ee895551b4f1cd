import { createECDH, createPublicKey, type KeyObject } from 'node:crypto'
import type { AuditSigner } from '../../src/audit/sealer.ts'

/** The signing port over a P-256 key in this process: r ‖ s over a digest that is given, as the token does it. */
export interface KeySigner extends AuditSigner {
  readonly publicKey: Buffer
  /** While set, the token fails with it. */
  broken: Error | undefined
}

export function createKeySigner(privateKey: KeyObject): KeySigner {
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
  const d = bigintOf(Buffer.from(String(privateKey.export({ format: 'jwk' }).d), 'base64url'))
  const signer: KeySigner = {
    publicKey,
    broken: undefined,
    async auditPublicKey() {
      if (signer.broken !== undefined) throw signer.broken
      return publicKey
    },
    async signAudit(digest) {
      if (signer.broken !== undefined) throw signer.broken
      return ecdsa(bigintOf(digest), d)
    },
  }
  return signer
}

// FIPS 186-5 §6.4.1; node:crypto signs messages, not digests. What judges the result is OpenSSL's verify.
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

function ecdsa(z: bigint, d: bigint): Buffer {
  const nonce = createECDH('prime256v1')
  const point = nonce.generateKeys()
  const r = bigintOf(point.subarray(1, 33)) % order
  const k = bigintOf(nonce.getPrivateKey())
  const s = (power(k, order - 2n) * (z + r * d)) % order
  return Buffer.from(r.toString(16).padStart(64, '0') + s.toString(16).padStart(64, '0'), 'hex')
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  for (const bit of exponent.toString(2)) result = (result * result * (bit === '1' ? base : 1n)) % order
  return result
}

const bigintOf = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
