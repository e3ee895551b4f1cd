import { Session, type Slot } from 'graphene-pk11'
import pkcs11, { type Template } from 'pkcs11js'
import { Fault } from '../../fault.ts'
import { tokenObjectKek, vaultKek } from '../key-kind.ts'
import { attempt } from './failure.ts'
import type { KeyRow } from './key-kinds.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'

export const vaultKeyLabel = 'strongroom.vault'
/** Of keys that are objects of the token by their owner's wish (`createTokenObject`). */
export const tokenObjectLabel = 'strongroom.resident'

/** Bytes of the random CKA_ID of both. */
export const idBytes = 16

/** One object of ours in the token. */
export interface TokenObject {
  readonly handle: KeyHandle
  readonly objectClass: number
  readonly label: string
  /** CKA_ID in hexadecimal. */
  readonly id: string
}

/**
 * Every token object with a label of ours, in one search: a search costs milliseconds where there are thousands of
 * vault keys. Never one that another process is making, whose CKA_TOKEN is false until it is whole: to read an attribute
 * of such a one has SoftHSM2 write defaults over what the other process writes.
 */
export function listObjects({
  slot,
  session,
}: {
  readonly slot: Slot
  readonly session: Pkcs11Session
}): TokenObject[] {
  const found = attempt('find', () =>
    [...new Session(session.handle, slot, slot.lib).find({ token: true })].map((object) => {
      const { class: objectClass, label, id } = object.getAttribute({ class: null, label: null, id: null })
      return {
        handle: object.handle,
        objectClass: objectClass ?? -1,
        label: label ?? '',
        id: id?.toString('hex') ?? '',
      }
    }),
  )
  return found.filter(({ label }) => label.startsWith('strongroom.'))
}

/**
 * Looks for nothing in particular. To be done before an object is made: SoftHSM2 takes note of other processes' objects
 * when it searches, and takes itself for up to date after it has made one of its own.
 */
export function noticeChanges(session: Pkcs11Session): void {
  session.find([{ type: pkcs11.CKA_LABEL, value: 'strongroom.nothing' }])
}

/** The CKA_LABEL of keys whose record names this instead of a KEK; undefined for the name of a KEK. */
export function tokenObjectLabelOf(kek: string): string | undefined {
  if (kek === tokenObjectKek) return tokenObjectLabel
  return kek === vaultKek ? vaultKeyLabel : undefined
}

/**
 * A token object that this process does not see: it was destroyed, or another process made it and SoftHSM2 has not taken
 * note of it (decision 74). `token.run` looks anew before it says so.
 */
export class ObjectMissing extends Fault {
  /** CKA_ID in hexadecimal. */
  readonly id: string

  constructor(id: Buffer) {
    super('hsm.rejected', 'The token has no such key: it was destroyed.')
    this.id = id.toString('hex')
  }
}

/** The key with this label and CKA_ID. Throws `ObjectMissing`, and `hsm.rejected` where it is of another type. */
export function findTokenObject(session: Pkcs11Session, label: string, id: Buffer, row: KeyRow): KeyHandle {
  if (id.length !== idBytes) throw ofNoSuchKind()
  const [found] = findObjects(session, label, id, row)
  if (found !== undefined) return found
  if (findObjects(session, label, id).length > 0) throw ofNoSuchKind()
  throw new ObjectMissing(id)
}

const ofNoSuchKind = (): Fault => new Fault('hsm.rejected', 'The token has no such key of this kind.')

/** Every object with this label and CKA_ID. */
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

/** Never to be wrapped. */
export const locked: Template = [{ type: pkcs11.CKA_EXTRACTABLE, value: false }]

/** It leaves the token wrapped by a CKA_TRUSTED key alone, which the SO alone can make. */
export const trustedWrapsOnly: Template = [
  { type: pkcs11.CKA_EXTRACTABLE, value: true },
  { type: pkcs11.CKA_WRAP_WITH_TRUSTED, value: true },
]

/** What every lasting key is: in the token for good, private, never to be read or changed, nor wrapped but as `leaving` says. */
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
