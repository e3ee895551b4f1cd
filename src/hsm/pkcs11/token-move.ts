import { hash } from 'node:crypto'
import pkcs11 from 'pkcs11js'
import { Fault } from '../../fault.ts'
import { continueAuditKeys, publicAuditKeys, type PublicAuditKey } from './audit-key-copy.ts'
import type { BackupSharingOptions } from './backup-sharing.ts'
import { ceremonyKey, destroyPair, makePair, returnPin, withOtherPin } from './ceremony-pair.ts'
import { withDirectorySync } from './directory-sync.ts'
import { TokenFailure } from './failure.ts'
import { oaep } from './mechanisms.ts'
import { isMovableKind, fitsProof, mayLeave, type MovableKey, proofOf, receiveKey } from './movable-keys.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'
import { wrappingTemplate } from './public-keys.ts'
import { makeAbsent, rootMaking } from './root-creation.ts'
import { roleOf, rootClass, versionOf } from './root-objects.ts'
import { asSecurityOfficer, ceremonyLabel, destroyTrusted, trustedTemplate } from './security-officer.ts'
import { listObjects, noticeChanges, type TokenObject } from './token-objects.ts'
import { type OpenToken, type TokenLocation, withToken } from './token-opening.ts'

export interface TokenMove {
  readonly from: BackupSharingOptions
  readonly to: BackupSharingOptions
  /** Whether a key moves: the key of a destroyed vault must not exist again. */
  readonly isWanted: (key: Pick<TokenObject, 'label' | 'id'>) => boolean
  readonly progress: (done: number, total: number) => void
}

export interface MovedKeys {
  readonly total: number
  /** Number of keys that an earlier run had moved. */
  readonly present: number
  /**
   * Labels of root keys that were made in the new token, by this run or an earlier one, because no key of their role may
   * leave the old one.
   */
  readonly made: readonly string[]
}

/** The keys that one token sends to the other. */
interface Sent {
  /** Labels of all root keys in the old token, including those that stay. */
  readonly labels: readonly string[]
  readonly keys: readonly WrappedKey[]
  readonly audits: readonly PublicAuditKey[]
}

/**
 * A key in transit: only in the memory of this process, and wrapped by a public key whose private half is in the other
 * token.
 */
interface WrappedKey extends Pick<TokenObject, 'label' | 'id'> {
  readonly blob: Buffer
  readonly proof: string
}

/**
 * Moves every key that may leave a token to another token, in a ceremony of both. The SO of the first marks the key pair of
 * the second as trusted while it wraps. The SO of the second sets a PIN that no person knows while the pair exists. The
 * keys of `from` are kept. An interrupted move can be called again: a key that exists already is compared, and not moved
 * twice.
 * @throws Fault `hsm.rejected` where `to` contains anything else
 */
export function moveKeys({ from, to, isWanted, progress }: TokenMove): MovedKeys {
  // Outside of `try`: a refused SO PIN must not be presented a second time in `finally`.
  const invitation = withOtherPin(to, invite)
  try {
    const sent = send(from, invitation, isWanted)
    const moved = withOtherPin(to, (token, pin) => receive(token, { ...to, pin }, sent, progress))
    return { ...moved, total: sent.keys.length }
  } finally {
    withOtherPin(to, ({ session }) => destroyPair(session))
    returnPin(to)
  }
}

function invite(token: OpenToken): Invitation {
  const there = listObjects(token)
  const others = token.session.find([{ type: pkcs11.CKA_TOKEN, value: true }]).length - there.length
  destroyPair(token.session)
  return { recipient: makePair(token.session), there: there.map(objectName), others }
}

interface Invitation {
  readonly recipient: Buffer
  /** Objects of Strongroom in the new token (`objectName`). */
  readonly there: readonly string[]
  /** Number of other objects in the new token. */
  readonly others: number
}

function send(from: BackupSharingOptions, invitation: Invitation, isWanted: TokenMove['isWanted']): Sent {
  const id = hash('sha256', invitation.recipient, 'buffer')
  return withDirectorySync(from.tokenDirectory, () => {
    try {
      asSecurityOfficer(from, from.soPin, (so) =>
        so.create(trustedTemplate(wrappingTemplate(invitation.recipient), id)),
      )
      return withToken(from, (token) => {
        const objects = listObjects(token)
        const labels = objects.map(({ label }) => label).filter((label) => roleOf(label) !== undefined)
        const audits = publicAuditKeys(token.session, objects)
        const moving = objects.filter(
          (one) => isMovableKind(one) && isWanted(one) && mayLeave(token.session, one.handle),
        )
        requireNothingElse(invitation, moving, labels)
        const [trusted] = token.session.find([
          { type: pkcs11.CKA_TRUSTED, value: true },
          { type: pkcs11.CKA_LABEL, value: ceremonyLabel },
          { type: pkcs11.CKA_ID, value: id },
        ])
        if (trusted === undefined)
          throw new Fault('hsm.unsupported', 'The token made no trusted key: nothing can be moved.')
        return { labels, audits, keys: moving.map((key) => wrapped(token.session, trusted, key)) }
      })
    } finally {
      withToken(from, ({ session }) => destroyTrusted(session))
    }
  })
}

function wrapped(session: Pkcs11Session, trusted: KeyHandle, key: MovableKey): WrappedKey {
  try {
    return { label: key.label, id: key.id, blob: session.wrap(oaep, trusted, key.handle), proof: proofOf(session, key) }
  } catch (error) {
    if (!(error instanceof TokenFailure) || error.remedy === 'fatal') throw error
    throw new Fault('hsm.unsupported', `This token lets ${key.label} out to no trusted key.`, { cause: error })
  }
}

/** Identifies a key within a token. */
export const objectName = ({ label, id }: Pick<TokenObject, 'label' | 'id'>): string => `${label} ${id}`

/**
 * Allows in the new token only objects of an earlier run of the same move, and audit keys, which are compared when they
 * are copied.
 * @throws Fault `hsm.rejected` for any other object
 */
function requireNothingElse(
  { there, others }: Invitation,
  moving: readonly TokenObject[],
  labels: readonly string[],
): void {
  const expected = new Set(moving.map(objectName))
  const coming = new Set(moving.map(({ label }) => roleOf(label)))
  // An earlier run makes new versions for roles of which no key moves.
  const isMade = (label: string): boolean => {
    const role = roleOf(label)
    if (label === ceremonyLabel || role === 'audit') return true
    if (role === undefined || coming.has(role)) return false
    return versionOf(label) > Math.max(0, ...labels.filter((one) => roleOf(one) === role).map(versionOf))
  }
  const other = there.find((name) => !expected.has(name) && !isMade(name.split(' ')[0] ?? ''))
  if (other !== undefined)
    throw new Fault('hsm.rejected', `The other token holds ${other.split(' ')[0]} already: take a token without keys.`)
  if (others > 0)
    throw new Fault('hsm.rejected', 'The other token holds objects of another program: take a token without keys.')
}

function receive(
  token: OpenToken,
  options: BackupSharingOptions,
  { keys, audits, labels }: Sent,
  progress: TokenMove['progress'],
): Omit<MovedKeys, 'total'> {
  const { session } = token
  const pair = ceremonyKey(session)
  const making = rootMaking(token, options)
  const before = new Set(listObjects(token).map(objectName))
  const present = keys.filter((key) => before.has(objectName(key)))
  // Compared before the first key is received: a token of another appliance has keys with the same names.
  requireSame(token, present)
  let done = 0
  for (const key of keys) {
    if (!before.has(objectName(key))) receiveKey(making, key, { ...pair, blob: key.blob })
    progress(++done, keys.length)
  }
  noticeChanges(session)
  requireSame(token, keys)
  continueAuditKeys(token, making, audits)
  makeAbsent(making, listObjects(token), labels)
  const moved = new Set(keys.map(({ label }) => roleOf(label)))
  const made = listObjects(token).filter(({ label, objectClass }) => {
    const role = roleOf(label)
    return role !== undefined && !moved.has(role) && objectClass === rootClass(role)
  })
  return { present: present.length, made: made.map(({ label }) => label).toSorted() }
}

function requireSame(token: OpenToken, keys: readonly WrappedKey[]): void {
  const there = new Map(listObjects(token).map((one) => [objectName(one), one]))
  for (const key of keys) {
    const one = there.get(objectName(key))
    if (one === undefined || !fitsProof(token.session, one, key.proof))
      throw new Fault(
        'hsm.rejected',
        `The other token has ${key.label}, and it is another key: take a token without keys.`,
      )
  }
}

/** The keys of a token that can move, including those that are locked. */
export interface MoveInventory {
  readonly keys: readonly Pick<TokenObject, 'label' | 'id'>[]
  /** Those of `keys` that may not leave. */
  readonly locked: readonly Pick<TokenObject, 'label' | 'id'>[]
}

const named = ({ label, id }: TokenObject) => ({ label, id })

export function inventoryOf(location: TokenLocation): MoveInventory {
  return withToken(location, (token) => {
    const keys = listObjects(token).filter(isMovableKind)
    const locked = keys.filter(({ handle }) => !mayLeave(token.session, handle))
    return { keys: keys.map(named), locked: locked.map(named) }
  })
}

/**
 * Throws `hsm.rejected` where two tokens have different keys of one name: those of two appliances bear the same names.
 */
export function requireSameKeys(one: TokenLocation, other: TokenLocation): void {
  const keys = withToken(one, (token) =>
    listObjects(token)
      .filter(isMovableKind)
      .map((key) => ({ ...named(key), proof: proofOf(token.session, key) })),
  )
  withToken(other, (token) => {
    const there = new Map(listObjects(token).map((key) => [objectName(key), key]))
    for (const key of keys) {
      const same = there.get(objectName(key))
      if (same !== undefined && !fitsProof(token.session, same, key.proof))
        throw new Fault('hsm.rejected', `The two tokens have different keys by the name of ${key.label}.`)
    }
  })
}

/** Destroys all objects of Strongroom in a token. Returns their number. */
export function emptyToken(options: TokenLocation): number {
  return withDirectorySync(options.tokenDirectory, () =>
    withToken(options, (token) => {
      noticeChanges(token.session)
      const objects = listObjects(token)
      for (const { handle } of objects) token.session.destroy(handle)
      return objects.length
    }),
  )
}
