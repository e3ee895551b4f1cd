import { Session, type Slot } from 'graphene-pk11'
import pkcs11, { type Template } from 'pkcs11js'
import { Fault } from '../../fault.ts'
import { tokenObjectKek, vaultKek } from '../key-kind.ts'
import { attempt } from './failure.ts'
import { calledTogether } from './folder-rights.ts'
import type { KeyRow } from './key-kinds.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'

export const vaultKeyLabel = 'strongroom.vault'
/** CKA_LABEL of keys that their owner wants as objects of the token (`createTokenObject`). */
export const tokenObjectLabel = 'strongroom.resident'

/** Bytes of the random CKA_ID of objects with these two labels. */
export const idBytes = 16

/** An object of Strongroom in the token. */
export interface TokenObject {
  readonly handle: KeyHandle
  readonly objectClass: number
  readonly label: string
  /** CKA_ID in hexadecimal. */
  readonly id: string
}

/**
 * All token objects with a label of Strongroom, found in one search, since a search takes milliseconds with thousands
 * of vault keys. An object that another process is still creating has CKA_TOKEN false until it is complete, and is not
 * found. Reading an attribute of one would make SoftHSM2 write defaults over the other process's data.
 */
export function listObjects({
  slot,
  session,
}: {
  readonly slot: Slot
  readonly session: Pkcs11Session
}): TokenObject[] {
  const list = () =>
    [...new Session(session.handle, slot, slot.lib).find({ token: true })].map((object) => {
      const { class: objectClass, label, id } = object.getAttribute({ class: null, label: null, id: null })
      return {
        handle: object.handle,
        objectClass: objectClass ?? -1,
        label: label ?? '',
        id: id?.toString('hex') ?? '',
      }
    })
  const found = attempt('find', () => calledTogether(slot.lib, list))
  return found.filter(({ label }) => label.startsWith('strongroom.'))
}

/**
 * Searches for a label that no object has. Call it before an object is made: SoftHSM2 notices objects of other
 * processes when it searches, and considers itself up to date after it has made an object of its own.
 */
export function noticeChanges(session: Pkcs11Session): void {
  session.find([{ type: pkcs11.CKA_LABEL, value: 'strongroom.nothing' }])
}

/** The CKA_LABEL of keys whose record has this name in place of a KEK; undefined for the name of a KEK. */
export function tokenObjectLabelOf(kek: string): string | undefined {
  if (kek === tokenObjectKek) return tokenObjectLabel
  return kek === vaultKek ? vaultKeyLabel : undefined
}

/**
 * This process does not see a token object. It was destroyed, or another process made it and SoftHSM2 has not noticed
 * it (decision 74). `token.run` looks for it again before it throws this.
 */
export class ObjectMissing extends Fault {
  /** CKA_ID in hexadecimal. */
  readonly id: string

  constructor(id: Buffer) {
    super('hsm.rejected', 'The token has no such key: it was destroyed.')
    this.id = id.toString('hex')
  }
}

/**
 * The key with this label and CKA_ID.
 * @throws ObjectMissing; Fault `hsm.rejected` where it is of another kind, and where there are two: one of them may be
 * that of an attacker who had the PIN
 */
export function findTokenObject(session: Pkcs11Session, label: string, id: Buffer, row: KeyRow): KeyHandle {
  if (id.length !== idBytes) throw ofNoSuchKind()
  const [found, another] = findObjects(session, label, id, row)
  if (another !== undefined)
    throw new Fault('hsm.rejected', 'The token holds two such keys, of which one is not ours: see strongroom doctor.')
  if (found !== undefined) return found
  if (findObjects(session, label, id).length > 0) throw ofNoSuchKind()
  throw new ObjectMissing(id)
}

const ofNoSuchKind = (): Fault => new Fault('hsm.rejected', 'The token has no such key of this kind.')

/** All objects with this label and CKA_ID, of the kind of `row` where it is given. */
export function findObjects(session: Pkcs11Session, label: string, id: Buffer, row?: KeyRow): KeyHandle[] {
  const objectClass = row?.serves === 'sign' ? pkcs11.CKO_PRIVATE_KEY : pkcs11.CKO_SECRET_KEY
  return session.find([
    { type: pkcs11.CKA_TOKEN, value: true },
    { type: pkcs11.CKA_LABEL, value: label },
    { type: pkcs11.CKA_ID, value: id },
    ...(row === undefined
      ? []
      : [
          { type: pkcs11.CKA_CLASS, value: objectClass },
          { type: pkcs11.CKA_KEY_TYPE, value: row.keyType },
        ]),
  ])
}

/** Never leaves the token. */
export const locked: Template = [{ type: pkcs11.CKA_EXTRACTABLE, value: false }]

/** Leaves the token only wrapped by a CKA_TRUSTED key, which only the SO can create. */
export const trustedWrapsOnly: Template = [
  { type: pkcs11.CKA_EXTRACTABLE, value: true },
  { type: pkcs11.CKA_WRAP_WITH_TRUSTED, value: true },
]

/**
 * Attributes of every lasting key: a token object, private, sensitive, not modifiable. `leaving` says whether it can be
 * wrapped.
 */
export function lastingTemplate(label: string, id: Buffer, leaving: Template = locked): Template {
  return [
    { type: pkcs11.CKA_TOKEN, value: true },
    { type: pkcs11.CKA_PRIVATE, value: true },
    { type: pkcs11.CKA_SENSITIVE, value: true },
    ...leaving,
    { type: pkcs11.CKA_MODIFIABLE, value: false },
    { type: pkcs11.CKA_LABEL, value: label },
    { type: pkcs11.CKA_ID, value: id },
  ]
}
