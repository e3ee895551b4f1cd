import type { Mechanism, Template } from 'pkcs11js'
import { Fault } from '../../fault.ts'
import { isPairKind } from '../hsm.ts'
import { type KeyKindRow, extractableTemplate, isKeyKind, kindRows } from './key-kinds.ts'
import { keyWrap, paddedWrap } from './mechanisms.ts'
import { type PairKindRow, pairRows, privateTemplate } from './pair-kinds.ts'

export type AnyKindRow = KeyKindRow | PairKindRow

/** The row of a kind that a record names. Throws `hsm.rejected` where there is none. */
export function rowOf(kind: string): AnyKindRow {
  if (isKeyKind(kind)) return kindRows[kind]
  if (isPairKind(kind)) return pairRows[kind]
  throw new Fault('hsm.rejected', `There is no kind of key ${kind}.`)
}

/**
 * RFC 3394 for secrets, which every token does alike; RFC 5649 for private keys, because PKCS#8 has any length.
 * Throws `hsm.unsupported` where the token lacks that.
 */
export function unwrapMechanism(row: AnyKindRow, mechanisms: ReadonlySet<number>): Mechanism {
  return row.serves === 'sign' ? requirePaddedWrap(mechanisms) : keyWrap
}

export function requirePaddedWrap(mechanisms: ReadonlySet<number>): Mechanism {
  const mechanism = paddedWrap(mechanisms)
  if (mechanism === undefined)
    throw new Fault('hsm.unsupported', 'This needs AES_KEY_WRAP_KWP (RFC 5649), which this token lacks.')
  return mechanism
}

/** A key that comes in, as a session object that lives until it is wrapped. */
export function passingTemplate(row: AnyKindRow): Template {
  return row.serves === 'sign' ? privateTemplate(row, true) : extractableTemplate(row)
}
