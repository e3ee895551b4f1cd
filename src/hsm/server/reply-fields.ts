import type { MadeKey, WrappedKey } from '../made-key.ts'
import type { KeyKind } from '../key-kind.ts'
import { random, seal } from '../pkcs11/seal-operations.ts'
import type { MadeObject } from '../pkcs11/token-keys.ts'
import type { Token } from '../pkcs11/token-link.ts'
import { tokenStatus } from '../pkcs11/token-report.ts'
import { nothing } from '../protocol/fields.ts'
import { nonceBytes, provenanceNonce, provenanceRecord } from '../provenance.ts'

/**
 * State of a host and its reason, without a call of the token. `fault`: what keeps the process from its work, although
 * the token is ready.
 */
export function pong(token: Token, fault?: string): Buffer[] {
  if (token.state() === 'ready' && fault !== undefined) return [Buffer.from('down'), Buffer.from(fault)]
  return [Buffer.from(token.state()), Buffer.from(token.reason() ?? '')]
}

export function statusFields(token: Token, fault?: string): Buffer[] {
  return [...pong(token, fault), Buffer.from(token.state() === 'ready' ? JSON.stringify(tokenStatus(token)) : '')]
}

/** Fields of a key that this host generated or received, with a sealed provenance where it has a purpose. */
export function generated(token: Token, kind: KeyKind, purpose: Buffer, key: MadeKey): Buffer[] {
  const { publicKey, backup } = key
  const backupFields = backup === undefined ? [nothing, nothing] : wrapped(backup)
  return [...wrapped(key), publicKey ?? nothing, ...backupFields, provenance(token, kind, purpose, key)]
}

export function provenance(token: Token, kind: KeyKind, purpose: Buffer, key: MadeKey, drawn?: Buffer): Buffer {
  if (purpose.length === 0) return nothing
  const nonce = drawn ?? provenanceNonce(random(token, nonceBytes), Date.now())
  return Buffer.concat([nonce, seal(token, provenanceRecord(nonce, purpose, kind, key))])
}

export function wrapped({ kek, blob }: WrappedKey): Buffer[] {
  return [Buffer.from(kek), blob]
}

export function tokenObject(token: Token, kind: KeyKind, { key, purpose }: MadeObject): Buffer[] {
  // The keeper has drawn the CKA_ID as the nonce of the provenance.
  return [key.blob, key.publicKey ?? nothing, provenance(token, kind, purpose, key, key.blob)]
}
