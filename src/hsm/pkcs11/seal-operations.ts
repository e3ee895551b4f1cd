import { timingSafeEqual } from 'node:crypto'
import { Fault } from '../../fault.ts'
import type { BackupSeal, SealedRecord } from '../hsm.ts'
import { ecdsa, hmacSha256 } from './mechanisms.ts'
import { keyPairRows } from './pair-kinds.ts'
import { publicKeyOf } from './public-keys.ts'
import { sealBytes } from './seal-check.ts'
import type { Token } from './token-link.ts'

// What the token's root keys do: they bind records, hashes, backups and the audit trail to this token.

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

export function sealBackup(token: Token, bytes: Buffer): BackupSeal {
  return token.run(({ session, roots }) => {
    const { name, handle } = roots.newestBackupSeal()
    return { name, seal: session.sign(hmacSha256, handle, bytes, Buffer.alloc(sealBytes)) }
  })
}

/** Throws `hsm.seal_broken`; `hsm.rejected` where the token has no backup seal of that name. */
export function verifyBackup(token: Token, bytes: Buffer, { name, seal }: BackupSeal): void {
  const expected = token.run(({ session, roots }) =>
    session.sign(hmacSha256, roots.backupSeal(name), bytes, Buffer.alloc(sealBytes)),
  )
  if (seal.length !== sealBytes || !timingSafeEqual(seal, expected))
    throw new Fault('hsm.seal_broken', 'The backup was altered, or comes from an appliance with other backup keys.')
}
