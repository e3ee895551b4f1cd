import { timingSafeEqual } from 'node:crypto'
import { Fault } from '../../fault.ts'
import { readBackup } from '../backup-record.ts'
import type { SealedRecord } from '../hsm.ts'
import { ecdsa, hmacSha256 } from './mechanisms.ts'
import { keyPairRows } from './pair-kinds.ts'
import { publicKeyOf } from './public-keys.ts'
import { sealBytes, sealNewest, versionOfSeal } from './seal-versions.ts'
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
  return token.run((connection) => sealNewest(connection, record))
}

/** The seal of the same record by the newest version; undefined where no version made the one that it bears. */
export function sealAnew(token: Token, sealed: SealedRecord): Buffer | undefined {
  return token.run((connection) => {
    const version = versionOfSeal(connection, sealed)
    if (version === undefined) return undefined
    return version === 0 ? Buffer.from(sealed.seal) : sealNewest(connection, sealed.record)
  })
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

/** See `Hsm.verifyBackup`. */
export function verifyBackup(token: Token, backup: Buffer): void {
  const { content, seal } = readBackup(backup)
  const expected = token.run(({ session, roots }) =>
    session.sign(hmacSha256, roots.backupSeal(seal.name), content, Buffer.alloc(sealBytes)),
  )
  if (seal.seal.length !== sealBytes || !timingSafeEqual(seal.seal, expected))
    throw new Fault('hsm.seal_broken', 'The backup was altered, or comes from an appliance with other backup keys.')
}
