import pkcs11, { type Template } from 'pkcs11js'
import { checkValueOf } from './backup-key-check.ts'
import { decryptWith, encryptWith } from './cipher-calls.ts'
import { TokenFailure } from './failure.ts'
import { secretKeyRows } from './key-kinds.ts'
import { tokenObjectTemplate } from './key-templates.ts'
import { makeLimited, mechanismsOf } from './object-limits.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'
import { type ReceivedKey, receiveRoot, type RootMaking, unwrapLasting } from './root-makers.ts'
import { roleOf, versionOf } from './root-objects.ts'
import { lastingTemplate, locked, type TokenObject, trustedWrapsOnly, vaultKeyLabel } from './token-objects.ts'

/** A secret key that goes from one token to another: a root key, or the data key of a vault. */
export type MovableKey = Pick<TokenObject, 'label' | 'id' | 'handle'>

const vaultRow = secretKeyRows['aes256-gcm']
const probeText = Buffer.from('strongroom moves this key')

/**
 * Whether this is a key that can move: a root key, except the audit pairs, which get a successor instead; or the data
 * key of a vault.
 */
export function isMovableKind({ label, objectClass }: Pick<TokenObject, 'label' | 'objectClass'>): boolean {
  if (objectClass !== pkcs11.CKO_SECRET_KEY) return false
  return label === vaultKeyLabel || roleOf(label) !== undefined
}

/** Whether the key may leave its token, wrapped by a key that the security officer marked as trusted. */
export function mayLeave(session: Pkcs11Session, handle: KeyHandle): boolean {
  return session.attributes(handle, [pkcs11.CKA_EXTRACTABLE])[0]?.readUInt8() === 1
}

/** A value by which another token can recognize the same key, and which reveals nothing about the key. */
export function proofOf(session: Pkcs11Session, { label, handle }: MovableKey): string {
  const role = roleOf(label)
  if (role !== undefined && role !== 'audit') return checkValueOf(session, role, handle)
  // `encryptWith` draws a fresh IV: two messages of GCM under one IV reveal the GHASH key.
  return encryptWith(session, handle, vaultRow, probeText, Buffer.alloc(0)).toString('base64')
}

/** Whether this is the key of which a token has made the proof (`proofOf`). */
export function fitsProof(session: Pkcs11Session, key: MovableKey, proof: string): boolean {
  if (key.label !== vaultKeyLabel) return proofOf(session, key) === proof
  try {
    const opened = decryptWith(session, key.handle, vaultRow, Buffer.from(proof, 'base64'), Buffer.alloc(0))
    return opened.equals(probeText)
  } catch (error) {
    if (error instanceof TokenFailure && error.remedy !== 'fatal') return false
    throw error
  }
}

/**
 * Receives a key with the attributes that this token would give it: not extractable unless `hsm.movable` allows further
 * moves.
 */
export function receiveKey(
  making: RootMaking,
  { label, id }: Pick<MovableKey, 'label' | 'id'>,
  from: ReceivedKey,
): void {
  const role = roleOf(label)
  if (role !== undefined && role !== 'audit') return receiveRoot(role, versionOf(label), making, from)
  const leaving: Template = making.movable ? trustedWrapsOnly : locked
  const template = tokenObjectTemplate(vaultRow).filter(({ type }) => type !== pkcs11.CKA_VALUE_LEN)
  const lasting = lastingTemplate(label, Buffer.from(id, 'hex'), leaving)
  makeLimited(mechanismsOf(vaultRow), (limits) =>
    unwrapLasting(making.session, from, [...template, ...lasting, ...limits]),
  )
}
