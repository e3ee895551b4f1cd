import { ObjectClass } from 'graphene-pk11'
import pkcs11 from 'pkcs11js'
import type { TokenStatus } from '../token-status.ts'
import { attempt } from './failure.ts'
import { mechanismName } from './mechanisms.ts'
import type { Token } from './token-link.ts'
import type { Connection } from './connection.ts'
import { secretKeyRows } from './key-kinds.ts'
import { mechanismsOf, missingLimits } from './object-limits.ts'
import type { KeyHandle } from './pkcs11-session.ts'
import { roleOf, rootMechanisms, versionOf } from './root-objects.ts'
import { ceremonyLabel, findTrusted } from './security-officer.ts'
import { listObjects, type TokenObject, tokenObjectLabel, vaultKeyLabel } from './token-objects.ts'

/** CK_UNAVAILABLE_INFORMATION in the form that pkcs11js returns. */
const unavailableCount = 0xffff_ffff
const ownSessions = 2
/** Label of the key for which imports of earlier releases were wrapped. It is not used any more. */
const transportLabel = 'strongroom.transport.v1'
const unwrapsImports = 'unwraps the keys that were sent in for imports'

/**
 * The state of the token for an administrator. Searches all objects, so it must not run every second. It also makes the
 * process notice new versions of root keys.
 */
export function tokenStatus(token: Token): TokenStatus {
  return token.run((connection) => {
    const info = attempt('session', () => connection.slot.getToken())
    const objects = listObjects(connection)
    if (connection.roots.refresh(objects)) token.probeAgain()
    return {
      label: info.label,
      serial: info.serialNumber,
      manufacturer: info.manufacturerID,
      model: info.model,
      slot: connection.slot.handle.readUInt32LE(),
      mechanisms: [...connection.mechanisms].map(mechanismName).toSorted(),
      objects: {
        root: [...new Set(objects.filter((object) => !isLeftHalf(object, objects)).map((object) => object.label))]
          .filter((name) => name !== vaultKeyLabel && name !== tokenObjectLabel)
          .toSorted(),
        newest: connection.roots.newest,
        vaultKeys: objects.filter(
          (object) => object.label === vaultKeyLabel && object.objectClass === ObjectClass.SECRET_KEY,
        ).length,
        residentKeys: objects.filter((object) => object.label === tokenObjectLabel).length,
        copies:
          objects.length - new Set(objects.map(({ label, id, objectClass }) => `${label} ${id} ${objectClass}`)).size,
        others:
          connection.keySession.find([{ type: pkcs11.CKA_TOKEN, value: true }]).length - objects.filter(isOurs).length,
        weaknesses: weaknessesOf(connection, objects),
        readableKeks: readableKeks(connection, objects),
      },
      // Many tokens do not count sessions. The two counted then are the key session and the operation session of this
      // process.
      sessions: {
        open: info.sessionCount === unavailableCount ? ownSessions : info.sessionCount,
        max: info.maxSessionCount,
      },
      handles: { held: connection.keys.held(), limit: connection.keys.limit },
      epoch: token.epoch(),
      conformance: token.conformance(),
    }
  })
}

/**
 * Private memory of the token (CK_TOKEN_INFO); undefined where the token does not report it
 * (CK_UNAVAILABLE_INFORMATION, PKCS#11 §3.2).
 */
export function roomInMemory(token: Token): { kind: 'memory'; freeBytes: number; totalBytes: number } | undefined {
  const { freePrivateMemory, totalPrivateMemory } = token.run(({ slot }) => attempt('session', () => slot.getToken()))
  const isTold = [freePrivateMemory, totalPrivateMemory].every((bytes) => bytes < unavailableCount)
  return isTold && totalPrivateMemory > 0
    ? { kind: 'memory', freeBytes: freePrivateMemory, totalBytes: totalPrivateMemory }
    : undefined
}

const isOurs = ({ label }: TokenObject): boolean =>
  [vaultKeyLabel, tokenObjectLabel, ceremonyLabel, transportLabel].includes(label) || roleOf(label) !== undefined

/** Whether this is the public half of an audit key whose private half was destroyed. */
function isLeftHalf({ label, objectClass }: TokenObject, objects: readonly TokenObject[]): boolean {
  const isPublic = roleOf(label) === 'audit' && objectClass === ObjectClass.PUBLIC_KEY
  return isPublic && !objects.some((one) => one.label === label && one.objectClass === ObjectClass.PRIVATE_KEY)
}

/**
 * Limits that objects lack because an earlier release made them or the token refuses them, with one entry for each
 * label.
 */
function weaknessesOf(connection: Connection, objects: readonly TokenObject[]): TokenStatus['objects']['weaknesses'] {
  const found = new Map<string, { label: string; count: number; lacks: string[] }>()
  for (const { handle, label, objectClass } of objects) {
    if (objectClass === ObjectClass.PUBLIC_KEY) continue
    const lacks = [
      ...(isAbove(connection.roots.newest, label) ? [madeOutside] : []),
      ...(label === transportLabel ? [unwrapsImports] : missing(connection, handle, label)),
    ]
    if (lacks.length === 0) continue
    const entry = found.get(label) ?? { label, count: 0, lacks }
    found.set(label, { ...entry, count: entry.count + 1 })
  }
  const trusted = findTrusted(connection.session).length
  const left = { label: ceremonyLabel, count: trusted, lacks: ['lets backup keys out'] }
  return [...found.values(), ...(trusted === 0 ? [] : [left])]
}

/** Of a root key that no command of Strongroom has made. */
export const madeOutside = 'was made outside Strongroom'

/** Whether the label is that of a later version of a root key than the newest that the operator has had made. */
function isAbove(newest: readonly string[], label: string): boolean {
  const inUse = newest.find((one) => roleOf(one) === roleOf(label))
  return inUse !== undefined && versionOf(label) > versionOf(inUse)
}

function missing({ session, mechanisms }: Connection, handle: KeyHandle, label: string): string[] {
  if (label === vaultKeyLabel) return missingLimits(session, handle, mechanismsOf(secretKeyRows['aes256-gcm']))
  const role = roleOf(label)
  return role === undefined ? [] : missingLimits(session, handle, rootMechanisms(role, mechanisms))
}

/** KEKs that should have an unwrap template and have none. */
function readableKeks({ roots }: Connection, objects: readonly TokenObject[]): string[] {
  return objects
    .map(({ label }) => label)
    .filter((label) => ['kek.strict', 'kek.backup'].includes(roleOf(label) ?? ''))
    .filter((label) => !roots.hides(label.replace(/^strongroom\.kek\./, '')))
    .toSorted()
}
