import pkcs11, { type Template } from 'pkcs11js'
import { Fault } from '../../fault.ts'
import type { KeyKind, SecretKeyKind } from '../key-kind.ts'
import type { GeneratedKey, GenerateOptions, ImportOptions, WrappedKey } from '../hsm.ts'
import { type KeyRow, requirePaddedWrap, rowOf, transientTemplate, unwrapMechanism } from './any-kinds.ts'
import type { Connection } from './connection.ts'
import { importable, importedTemplate, secretKeyRows, transientWrapKeyTemplate, unwrapOnly } from './key-kinds.ts'
import { checkPairMatches, checkUsable, mismatch } from './key-trial.ts'
import { oaep } from './mechanisms.ts'
import type { KeyPairRow } from './pair-kinds.ts'
import { generateSessionKey, withTransient, wrapSessionKey, wrapUnder } from './passing-keys.ts'
import type { KeyHandle } from './pkcs11-session.ts'
import { curveOf, rsaPublicKeyOf } from './public-keys.ts'
import { requireSupport } from './offers.ts'
import type { Token } from './token.ts'

/** Makes a key as a session object, wraps it, destroys it: it exists in plain nowhere. */
export function generate(token: Token, kind: KeyKind, options: GenerateOptions): GeneratedKey {
  return token.run((connection) => {
    requireSupport(connection, kind)
    const passing = generateSessionKey(connection.keySession, rowOf(kind))
    return withTransient(connection.keySession, [passing.key], () => wrapSessionKey(connection, kind, passing, options))
  })
}

/** Wraps a secret from outside under the strict KEK. Zeroes `secret` and every copy that it makes. */
export function importSecret(token: Token, kind: SecretKeyKind, secret: Buffer): WrappedKey {
  let value: Buffer | undefined
  try {
    const padded = (value = importable(kind, secret))
    return token.run((connection) => {
      requireSupport(connection, kind)
      const key = connection.keySession.create(importedTemplate(secretKeyRows[kind], padded))
      return withTransient(connection.keySession, [key], () => wrapUnder(connection, kind, 'strict', key))
    })
  } finally {
    secret.fill(0)
    value?.fill(0)
  }
}

/** Takes what CKM_RSA_AES_KEY_WRAP made for the transport key; see `KeyLife.importKey`. */
export function importKey(token: Token, kind: KeyKind, wrapped: Buffer, options: ImportOptions): GeneratedKey {
  return token.run((connection) => {
    requireSupport(connection, kind)
    const key = unwrapReceived(connection, wrapped, transientTemplate(rowOf(kind)))
    return withTransient(connection.keySession, [key], () => acceptKey(connection, kind, key, options))
  })
}

/** Unwraps what CKM_RSA_AES_KEY_WRAP made for the transport key, by the token's single steps, to an object of this template. */
export function unwrapReceived(
  { keySession, roots, mechanisms }: Pick<Connection, 'keySession' | 'roots' | 'mechanisms'>,
  wrapped: Buffer,
  template: Template,
): KeyHandle {
  const mechanism = requirePaddedWrap(mechanisms)
  const { publicKey, privateKey } = roots.transport()
  const modulusBytes = keySession.attributes(publicKey, [pkcs11.CKA_MODULUS])[0]?.length ?? 0
  const outer = keySession.unwrap(
    oaep,
    privateKey,
    wrapped.subarray(0, modulusBytes),
    transientWrapKeyTemplate(unwrapOnly),
  )
  return withTransient(keySession, [outer], () =>
    keySession.unwrap(mechanism, outer, wrapped.subarray(modulusBytes), template),
  )
}

/** Takes a key from under a backup KEK; see `KeyBackup.restoreKey`. */
export function restoreKey(token: Token, kind: KeyKind, backup: WrappedKey, options: ImportOptions): GeneratedKey {
  return token.run((connection) => {
    requireSupport(connection, kind)
    const key = unwrapBackup(connection, kind, backup)
    return withTransient(connection.keySession, [key], () => acceptKey(connection, kind, key, options))
  })
}

export function rewrapBackup(token: Token, kind: KeyKind, backup: WrappedKey): WrappedKey {
  return token.run((connection) => {
    const key = unwrapBackup(connection, kind, backup)
    return withTransient(connection.keySession, [key], () => {
      const rewrapped = wrapUnder(connection, kind, 'backup', key)
      checkLength(rowOf(kind), rewrapped)
      return rewrapped
    })
  })
}

function unwrapBackup(
  { keySession, roots, mechanisms }: Connection,
  kind: KeyKind,
  { kek, blob }: WrappedKey,
): KeyHandle {
  if (!kek.startsWith('backup.')) throw new Fault('hsm.rejected', `${kek} wraps no backups.`)
  const row = rowOf(kind)
  return keySession.unwrap(unwrapMechanism(row, mechanisms), roots.kek(kek), blob, transientTemplate(row))
}

/** Wraps a key that came in, once it is sure that it is what it is said to be. */
function acceptKey(connection: Connection, kind: KeyKind, key: KeyHandle, options: ImportOptions): GeneratedKey {
  const row = rowOf(kind)
  if (row.serves !== 'sign') checkUsable(connection, row, key)
  const publicKey = row.serves === 'sign' ? checkedPublicKey(connection, row, key, options) : undefined
  const admitted = wrapSessionKey(connection, kind, { key, publicKey }, options)
  checkLength(row, admitted)
  return admitted
}

/** Bytes by which RFC 3394 lengthens a key. */
const wrapBytes = 8

/** By the blob, because SoftHSM2 gives no CKA_VALUE_LEN of a key that it unwrapped. */
function checkLength(row: KeyRow, { blob }: WrappedKey): void {
  if (row.serves === 'sign') return
  const bytes = blob.length - wrapBytes
  if (bytes < row.bytes || bytes > row.longestBytes)
    throw new Fault('hsm.rejected', `The key has ${bytes} bytes; its kind has ${row.bytes} to ${row.longestBytes}.`)
}

function checkedPublicKey(connection: Connection, row: KeyPairRow, key: KeyHandle, options: ImportOptions): Buffer {
  const { keySession } = connection
  const given = options.publicKey === undefined ? undefined : Buffer.from(options.publicKey)
  const publicKey = row.family === 'rsa' ? rsaPublicKeyOf(keySession, key) : given
  if (publicKey === undefined)
    throw new Fault('hsm.rejected', 'Give the public key: PKCS#11 has no call that makes it of the private half.')
  if (row.family !== 'rsa' && !curveOf(keySession, key).equals(row.curve))
    throw new Fault('hsm.rejected', 'The private key is on another curve.')
  if (given?.equals(publicKey) === false) throw mismatch()
  checkPairMatches(connection, row, key, publicKey)
  return publicKey
}
