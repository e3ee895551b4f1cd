import { timingSafeEqual } from 'node:crypto'
import { Fault } from '../../fault.ts'
import { readKeyBackup } from '../key-backup-record.ts'
import type { SealedRecord } from '../hsm.ts'
import { ecdsa, hmacSha256 } from './mechanisms.ts'
import { keyPairRows } from './pair-kinds.ts'
import { publicKeyOf } from './public-keys.ts'
import { roleOf, versionOf } from './root-objects.ts'
import { sealBytes, sealNewest, versionOfSeal } from './seal-versions.ts'
import type { Token } from './token-link.ts'

// Operations with the root keys of the token, which bind records, hashes, backups and the audit trail to this token.

const randomLimitBytes = 65_536
const digestBytes = 32
const signatureBytes = 64

/**
 * Random bytes from the token.
 * @throws Fault `hsm.rejected` unless 1 to 65,536 bytes are requested
 */
export function random(token: Token, bytes: number): Buffer {
  if (!Number.isInteger(bytes) || bytes < 1 || bytes > randomLimitBytes) {
    throw new Fault('hsm.rejected', `Ask for 1 to ${randomLimitBytes} random bytes.`)
  }
  return token.run((connection) => connection.session.random(bytes))
}

/** HMAC-SHA-256 of the record by the newest version of the seal key: 32 bytes. */
export function seal(token: Token, record: Buffer): Buffer {
  return token.run((connection) => {
    const made = sealNewest(connection, record)
    connection.keys.noteMade({ record, seal: made })
    return made
  })
}

/**
 * Seals the record by the newest version of the seal; undefined where its present seal is by no version of this token.
 */
export function sealAnew(token: Token, sealed: SealedRecord): Buffer | undefined {
  return token.run((connection) => {
    const version = versionOfSeal(connection, sealed)
    if (version === undefined) return undefined
    return version === 0 ? Buffer.from(sealed.seal) : sealNewest(connection, sealed.record)
  })
}

/** Accepts a seal by any version of the seal key. @throws Fault `hsm.seal_broken` */
export function verify(token: Token, sealed: SealedRecord): void {
  token.run(({ keys }) => keys.verify(sealed))
}

/**
 * HMAC-SHA-256 of `data` by a version of the pepper (32 bytes). For a version that is gone, returns random bytes after
 * the same work, which match no check value.
 */
export function pepper(token: Token, version: number, data: Buffer): Buffer {
  return token.run(({ session, roots }) => {
    const key = roots.peppers.get(version)
    const [newest] = roots.peppers.values()
    const handle = key ?? newest
    if (handle === undefined) throw new TypeError('there is always a pepper')
    const made = session.sign(hmacSha256, handle, data, Buffer.alloc(sealBytes))
    return key === undefined ? session.random(sealBytes) : made
  })
}

/** Versions of the pepper, newest first. */
export function pepperVersions(token: Token): readonly number[] {
  return token.run(({ roots }) => [...roots.peppers.keys()])
}

/** The newest version of the pepper, as a number. */
export function newestPepper(token: Token): number {
  const [newest] = pepperVersions(token)
  if (newest === undefined) throw new TypeError('there is always a pepper')
  return newest
}

/** The public half of the first audit signing key (DER SubjectPublicKeyInfo), which identifies the appliance. */
export function auditPublicKey(token: Token): Buffer {
  const [first] = auditPublicKeys(token).keys.values()
  if (first === undefined) throw new TypeError('there is always an audit key')
  return first
}

/** The public halves of all versions, oldest first, the versions that can still sign, and the newest of these. */
export function auditPublicKeys(token: Token): {
  readonly keys: ReadonlyMap<number, Buffer>
  readonly signing: readonly number[]
  readonly newest: number
} {
  return token.run(({ session, roots }) => {
    const pairs = [...roots.audits]
    return {
      keys: new Map(
        pairs.map(([version, { publicKey }]) => [version, publicKeyOf(session, publicKey, keyPairRows['ec-p256'])]),
      ),
      signing: pairs.filter(([, { privateKey }]) => privateKey !== undefined).map(([version]) => version),
      newest: Math.max(...roots.newest.filter((label) => roleOf(label) === 'audit').map(versionOf)),
    }
  })
}

/**
 * Signs a SHA-256 digest by a version of the audit key. Returns r ‖ s (64 bytes).
 * @throws Fault `hsm.rejected` for another length of digest; `hsm.unavailable` where the version was destroyed
 */
export function signAudit(token: Token, version: number, digest: Buffer): Buffer {
  if (digest.length !== digestBytes) throw new Fault('hsm.rejected', `A SHA-256 digest has ${digestBytes} bytes.`)
  return token.run(({ session, roots }) => {
    const key = roots.audits.get(version)?.privateKey
    if (key === undefined)
      throw new Fault('hsm.unavailable', `The token that hsm.token names has no strongroom.audit.v${version}.`)
    return session.sign(ecdsa, key, digest, Buffer.alloc(signatureBytes))
  })
}

/** Whether release 0.2.0 made the root keys: that of backups had the first version, and later ones are named by times. */
export function isOfRelease020(token: Token): boolean {
  return token.run(({ roots }) => roots.hasKek('backup.v1'))
}

/** See `Hsm.verifyBackup`. Returns the content that was verified. */
export function verifyBackup(token: Token, backup: Buffer): Buffer {
  const { content, seal } = readKeyBackup(backup)
  const expected = token.run(({ session, roots }) =>
    session.sign(hmacSha256, roots.backupSeal(seal.name), content, Buffer.alloc(sealBytes)),
  )
  if (seal.seal.length !== sealBytes || !timingSafeEqual(seal.seal, expected))
    throw new Fault('hsm.seal_broken', 'The backup was altered, or comes from an appliance with other backup keys.')
  return content
}
