import { timingSafeEqual } from 'node:crypto'
import { Fault } from '../../fault.ts'
import type { KeyReference, SealedRecord } from '../hsm.ts'
import { decryptWith, encryptWith } from './cipher-calls.ts'
import { ecdsa, hmacSha256 } from './mechanisms.ts'
import { keyPairRows } from './pair-kinds.ts'
import { publicKeyOf } from './public-keys.ts'
import { sealBytes } from './seal-check.ts'
import type { Token } from './token.ts'

const randomLimitBytes = 65_536
const digestBytes = 32
const signatureBytes = 64

/** Random bytes from the token. Throws `hsm.rejected` unless 1 to 65,536 are asked for. */
export function random(token: Token, bytes: number): Buffer {
  if (!Number.isInteger(bytes) || bytes < 1 || bytes > randomLimitBytes) {
    throw new Fault('hsm.rejected', `Ask for 1 to ${randomLimitBytes} random bytes.`)
  }
  return token.run((connection) => connection.session.random(bytes))
}

export function seal(token: Token, record: Buffer): Buffer {
  return token.run(({ session, roots }) => session.sign(hmacSha256, roots.seal, record, Buffer.alloc(sealBytes)))
}

export function verify(token: Token, sealed: SealedRecord): void {
  token.run(({ keys }) => keys.verify(sealed))
}

export function pepper(token: Token, data: Buffer): Buffer {
  return token.run(({ session, roots }) => session.sign(hmacSha256, roots.pepper, data, Buffer.alloc(sealBytes)))
}

/** IV ‖ ciphertext ‖ tag, in sizes of the key's cipher. */
export function encrypt(token: Token, key: KeyReference, plaintext: Buffer, aad: Buffer): Buffer {
  return token.run(({ session, keys }) =>
    keys.use(key, 'encrypt', (handle, row) => encryptWith(session, handle, row, plaintext, aad)),
  )
}

/** Like `encrypt`, of random bytes of the token, which are zeroed. */
export function encryptRandom(token: Token, key: KeyReference, count: number, aad: Buffer): Buffer {
  const plaintext = random(token, count)
  try {
    return encrypt(token, key, plaintext, aad)
  } finally {
    plaintext.fill(0)
  }
}

export function decrypt(token: Token, key: KeyReference, ciphertext: Buffer, aad: Buffer): Buffer {
  return token.run(({ session, keys }) =>
    keys.use(key, 'encrypt', (handle, row) => decryptWith(session, handle, row, ciphertext, aad)),
  )
}

export function otpHmac(token: Token, key: KeyReference, data: Buffer): Buffer {
  return token.run(({ session, keys }) =>
    keys.use(key, 'otp-hmac', (handle, row) =>
      session.sign(row.mechanism, handle, data, Buffer.alloc(row.outputBytes)),
    ),
  )
}

export function hmac(token: Token, key: KeyReference, data: Buffer): Buffer {
  return token.run(({ session, keys }) =>
    keys.use(key, 'hmac', (handle, row) => session.sign(row.mechanism, handle, data, Buffer.alloc(row.outputBytes))),
  )
}

export function verifyHmac(token: Token, key: KeyReference, data: Buffer, mac: Buffer): boolean {
  const expected = hmac(token, key, data)
  return mac.length === expected.length && timingSafeEqual(mac, expected)
}

/** The audit signing key's public half, DER SubjectPublicKeyInfo. */
export function auditPublicKey(token: Token): Buffer {
  return token.run(({ session, roots }) => publicKeyOf(session, roots.audit.publicKey, keyPairRows['ec-p256']))
}

/** r ‖ s over a SHA-256 digest. */
export function signAudit(token: Token, digest: Buffer): Buffer {
  if (digest.length !== digestBytes) throw new Fault('hsm.rejected', `A SHA-256 digest has ${digestBytes} bytes.`)
  return token.run(({ session, roots }) =>
    session.sign(ecdsa, roots.audit.privateKey, digest, Buffer.alloc(signatureBytes)),
  )
}
