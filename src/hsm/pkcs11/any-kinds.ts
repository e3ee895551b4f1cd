import type { Mechanism, Template } from 'pkcs11js'
import { Fault } from '../../fault.ts'
import { isKeyPairKind } from '../key-kind.ts'
import { extractableTemplate, isSecretKeyKind, type SecretKeyRow, secretKeyRows } from './key-kinds.ts'
import { keyWrap, paddedWrap } from './mechanisms.ts'
import { type KeyPairRow, keyPairRows, privateTemplate } from './pair-kinds.ts'

export type KeyRow = SecretKeyRow | KeyPairRow

/** The row of a kind that a record names. Throws `hsm.rejected` where there is none. */
export function rowOf(kind: string): KeyRow {
  if (isSecretKeyKind(kind)) return secretKeyRows[kind]
  if (isKeyPairKind(kind)) return keyPairRows[kind]
  throw new Fault('hsm.rejected', `There is no kind of key ${kind}.`)
}

/**
 * RFC 3394 for secrets, which every token does alike; RFC 5649 for private keys, because PKCS#8 has any length.
 * Throws `hsm.unsupported` where the token lacks that.
 */
export function unwrapMechanism(row: KeyRow, mechanisms: ReadonlySet<number>): Mechanism {
  return row.serves === 'sign' ? requirePaddedWrap(mechanisms) : keyWrap
}

export function requirePaddedWrap(mechanisms: ReadonlySet<number>): Mechanism {
  const mechanism = paddedWrap(mechanisms)
  if (mechanism === undefined)
    throw new Fault('hsm.unsupported', 'This needs AES_KEY_WRAP_KWP (RFC 5649), which this token lacks.')
  return mechanism
}

/** A key that comes in, as a session object that lives until it is wrapped. */
export function transientTemplate(row: KeyRow): Template {
  return row.serves === 'sign' ? privateTemplate(row, true) : extractableTemplate(row)
}
