import { createECDH, createHash, createPublicKey, type KeyObject } from 'node:crypto'
import Database from 'better-sqlite3'
import type { AuditSigner } from '../../src/audit/chain-sealer.ts'
import type { SignedEnd } from '../../src/hsm/audit-end.ts'
import { createAuditEnds } from '../../src/hsm/keeper/audit-ends.ts'
import { jwkOf } from './jwk.ts'

/** The signing port with a P-256 key in this process, and the keeper's memory of ends, in a file or in none. */
export interface KeySigner extends AuditSigner {
  readonly publicKey: Buffer
  /** Signs any text, also one that no keeper would. */
  readonly signText: (text: string) => SignedEnd
  /** While this is set, the token fails with it. */
  broken: Error | undefined
}

export function createKeySigner(
  privateKey: KeyObject,
  stateFile = ':memory:',
  machine = 'ab'.repeat(16),
  now = Date.now,
): KeySigner {
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
  const d = bigintOf(Buffer.from(String(jwkOf(privateKey).d), 'base64url'))
  const state = new Database(stateFile)
  const sign = (digest: Buffer) => ecdsa(bigintOf(digest), d)
  const ends = createAuditEnds({
    state,
    sign,
    publicKey: () => publicKey,
    earlierKeys: () => [],
    machine: () => machine,
    now,
    isOwn: () => true,
  })
  const signer: KeySigner = {
    publicKey,
    broken: undefined,
    signText: (text) => ({ text, signature: sign(createHash('sha256').update(text).digest()) }),
    async auditKeys() {
      if (signer.broken !== undefined) throw signer.broken
      return { publicKey, successions: [] }
    },
    async lastAuditEnd(chain) {
      if (signer.broken !== undefined) throw signer.broken
      return ends.last(chain)
    },
    async signAuditEnd(end) {
      if (signer.broken !== undefined) throw signer.broken
      return ends.sign(end)
    },
  }
  return signer
}

// FIPS 186-5 §6.4.1, since node:crypto signs messages and not digests. OpenSSL verifies the result.
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
