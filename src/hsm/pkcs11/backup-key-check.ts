import { hash } from 'node:crypto'
import { secretKeyRows } from './key-kinds.ts'
import { importedTemplate } from './key-templates.ts'
import { hmacSha256, keyWrap } from './mechanisms.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'
import type { RootRole } from './root-objects.ts'
import { withTransient } from './session-keys.ts'

/** A check value of a key (32 hexadecimal digits): equal for equal keys, and it reveals nothing about the key. */
export function checkValueOf(session: Pkcs11Session, role: Exclude<RootRole, 'audit'>, key: KeyHandle): string {
  const fingerprint = role.startsWith('kek.') ? wrappedZeros(session, key) : macOf(session, key)
  return hash('sha256', fingerprint).slice(0, 32)
}

function macOf(session: Pkcs11Session, key: KeyHandle): Buffer {
  return session.sign(hmacSha256, key, Buffer.from('strongroom backup seal'), Buffer.alloc(32))
}

/** A KEK can do nothing but wrap, so it wraps a key of zeros. */
function wrappedZeros(session: Pkcs11Session, key: KeyHandle): Buffer {
  const zeros = session.create(importedTemplate(secretKeyRows['aes128-gcm'], Buffer.alloc(16)))
  return withTransient(session, [zeros], () => session.wrap(keyWrap, key, zeros))
}
