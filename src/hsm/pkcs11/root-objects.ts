import pkcs11, { type Mechanism } from 'pkcs11js'
import { Fault } from '../../fault.ts'
import type { KekName } from '../key-kind.ts'
import { ecdsa, hmacSha256, keyWrap, paddedWrap } from './mechanisms.ts'
import { hidesKeys } from './kek-probe.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'
import type { TokenObject } from './token-objects.ts'

/** The root objects by role; the label of version 1 is `strongroom.<role>.v1`. */
export const rootRoles = [
  'kek.strict',
  'kek.exportable',
  'kek.backup',
  'kek.backup-exportable',
  'backup-seal',
  'seal',
  'pepper',
  'audit',
] as const
export type RootRole = (typeof rootRoles)[number]

/** What backups need, made together and shared together: one version of all three. */
export const backupRoles = ['kek.backup', 'kek.backup-exportable', 'backup-seal'] as const

export function rootLabel(role: RootRole, version: number): string {
  return `strongroom.${role}.v${version}`
}

/** Of the half that is found by it: the private one of a pair. */
export function rootClass(role: RootRole): number {
  return role === 'audit' ? pkcs11.CKO_PRIVATE_KEY : pkcs11.CKO_SECRET_KEY
}

/** By what a root object works, and by nothing else; RFC 5649 has another number in some tokens. */
export function rootMechanisms(role: RootRole, available: ReadonlySet<number>): readonly Mechanism[] {
  if (role === 'audit') return [ecdsa]
  if (!role.startsWith('kek.')) return [hmacSha256]
  const padded = paddedWrap(available)
  return padded === undefined ? [keyWrap] : [keyWrap, padded]
}

/** The role that a label names; undefined for other objects. */
export function roleOf(label: string): RootRole | undefined {
  const name = /^strongroom\.(.+)\.v[1-9]\d*$/.exec(label)?.[1]
  return rootRoles.find((role) => role === name)
}

interface AuditPair {
  readonly publicKey: KeyHandle
  /** Undefined once this version is destroyed: the other half stays, since the appliance is known by the first one. */
  readonly privateKey: KeyHandle | undefined
}

interface Named {
  /** With its version, for example `strict.v1`. */
  readonly name: string
  readonly handle: KeyHandle
}

/**
 * What the host uses of the root objects, found once per epoch, and again when there may be another version. What
 * backups alone need is asked for when it is needed.
 */
export interface RootKeys {
  /** Every version, the newest first: that one seals, all of them verify. */
  readonly seals: readonly KeyHandle[]
  /** Grows when a version of the seal has gone: what was found good by then is to be checked again. */
  readonly sealsGone: number
  /** By version, the newest first. */
  readonly peppers: ReadonlyMap<number, KeyHandle>
  /** By version, the first one first; one of them at least signs. */
  readonly audits: ReadonlyMap<number, AuditPair>
  /** The newest KEK of that name, to wrap with. */
  newestKek(name: KekName): Named
  /** The KEK that a record names, for example `strict.v1`. Throws `hsm.rejected` where there is no such key. */
  kek(name: string): KeyHandle
  /** Throws `hsm.unavailable` where there is none. */
  newestBackupSeal(): Named
  /** Throws `hsm.rejected` where there is no such seal. */
  backupSeal(name: string): KeyHandle
  /** Whether the KEK that a record names lets keys out unreadable alone; tried out once. */
  hides(name: string): boolean
  /**
   * Takes note of versions that were made or destroyed since; `objects` are all that the token holds. Whether another
   * KEK is the newest.
   */
  refresh(objects: readonly TokenObject[]): boolean
  /** The same, for what is met that no known version made; false without a search where the last one was just now. */
  searchAgain(): boolean
}

/** CKA_ID of a root object is its label: what carries the label by accident, or the ID, is not taken for one. */
export function rootId(label: string): Buffer {
  return Buffer.from(label)
}

/**
 * The one object with this label, its own ID and this class; undefined when there is none. Throws `hsm.unavailable` for
 * two.
 */
export function findRoot(objects: readonly TokenObject[], label: string, objectClass: number): KeyHandle | undefined {
  const id = rootId(label).toString('hex')
  const [found, another] = objects.filter((o) => o.label === label && o.id === id && o.objectClass === objectClass)
  if (another !== undefined) {
    throw new Fault(
      'hsm.unavailable',
      `The token holds two objects called ${label}: keep the right one (restore the token from its backup).`,
    )
  }
  return found?.handle
}

const kekNames: readonly KekName[] = ['strict', 'exportable', 'backup', 'backup-exportable']

/** A search costs up to a second where there are thousands of vault keys, and whoever asks may name any version. */
const searchEveryMs = 5_000

/**
 * `search` gives all objects of the token. A version that is not known is looked for: another process may have made it.
 * Throws `hsm.unavailable` when the token lacks a root object; only `strongroom init` makes them.
 */
export function findRootKeys(search: () => readonly TokenObject[], session: Pkcs11Session): RootKeys {
  let found = readRoots(search())
  let searchedMs = -Infinity
  let sealsGone = 0
  const refresh = (objects: readonly TokenObject[]) => {
    const { newestKeks: before, seals } = found
    try {
      found = readRoots(objects)
    } catch (error) {
      // What was lost is noticed by its use.
      if (!(error instanceof Fault)) throw error
    }
    if ([...seals.keys()].some((name) => !found.seals.has(name))) sealsGone += 1
    return kekNames.some((name) => before[name].name !== found.newestKeks[name].name)
  }
  const searchAgain = () => {
    if (performance.now() - searchedMs < searchEveryMs) return false
    searchedMs = performance.now()
    refresh(search())
    return true
  }
  const named = (versions: () => ReadonlyMap<string, KeyHandle>, name: string, otherwise: string): KeyHandle => {
    if (!versions().has(name)) searchAgain()
    const handle = versions().get(name)
    if (handle === undefined) throw new Fault('hsm.rejected', otherwise)
    return handle
  }
  const kek = (name: string) =>
    named(() => found.keks, name, `The token has no key-encryption key ${name}, which wraps this key.`)
  const hiding = new Map<string, boolean>()
  return {
    get seals() {
      return found.sealHandles
    },
    get sealsGone() {
      return sealsGone
    },
    get peppers() {
      return found.peppers
    },
    get audits() {
      return found.audits
    },
    newestKek: (name) => found.newestKeks[name],
    kek,
    newestBackupSeal: () => found.newestBackupSeal(),
    backupSeal: (name) =>
      named(() => found.backupSeals, name, `The token has no ${name}: the backup is of another appliance.`),
    hides(name) {
      const hides = hiding.get(name) ?? hidesKeys(session, kek(name))
      hiding.set(name, hides)
      return hides
    },
    refresh,
    searchAgain,
  }
}

/** Throws `hsm.unavailable` when one is missing that every use of the token needs. */
function readRoots(objects: readonly TokenObject[]) {
  const secret = (label: string) => required(objects, label, pkcs11.CKO_SECRET_KEY)
  const keks = versionsOf(objects, /^strongroom\.kek\.((?:strict|exportable|backup|backup-exportable)\.v[1-9]\d*)$/)
  const backupSeals = versionsOf(objects, /^strongroom\.(backup-seal\.v[1-9]\d*)$/)
  const newest = (versions: ReadonlyMap<string, KeyHandle>, name: string, prefix: string): Named =>
    newestOf(versions, name) ?? { name: `${name}.v1`, handle: secret(`${prefix}${name}.v1`) }
  const backup = newest(keks, 'backup', 'strongroom.kek.')
  const seals = newestFirst(objects, 'seal')
  return {
    seals,
    sealHandles: [...seals.values()],
    peppers: newestFirst(objects, 'pepper'),
    audits: auditPairs(objects),
    keks,
    newestKeks: {
      strict: newest(keks, 'strict', 'strongroom.kek.'),
      exportable: newest(keks, 'exportable', 'strongroom.kek.'),
      backup,
      // Versions of release 0.2.0 have one for all backups.
      'backup-exportable': sameVersion(keks, backup) ?? backup,
    },
    backupSeals,
    newestBackupSeal: () => newest(backupSeals, 'backup-seal', 'strongroom.'),
  }
}

/** Throws `hsm.unavailable` where there is none. */
function newestFirst(objects: readonly TokenObject[], role: RootRole): ReadonlyMap<number, KeyHandle> {
  const versions = [...versionsOfRole(objects, role)].toSorted(([a], [b]) => b - a)
  if (versions.length === 0) required(objects, rootLabel(role, 1), rootClass(role))
  return new Map(versions)
}

function auditPairs(objects: readonly TokenObject[]): ReadonlyMap<number, AuditPair> {
  const labels = new Set(objects.map(({ label }) => label).filter((label) => roleOf(label) === 'audit'))
  const inOrder = [...labels].toSorted((a, b) => versionOf(a) - versionOf(b))
  const pairs = inOrder.map((label): [number, AuditPair] => [
    versionOf(label),
    {
      publicKey: required(objects, label, pkcs11.CKO_PUBLIC_KEY),
      privateKey: findRoot(objects, label, pkcs11.CKO_PRIVATE_KEY),
    },
  ])
  if (!pairs.some(([, { privateKey }]) => privateKey !== undefined))
    required(objects, rootLabel('audit', 1), pkcs11.CKO_PRIVATE_KEY)
  return new Map(pairs)
}

function required(objects: readonly TokenObject[], label: string, objectClass: number): KeyHandle {
  const found = findRoot(objects, label, objectClass)
  if (found === undefined)
    throw new Fault('hsm.unavailable', `The token that hsm.token names has no ${label}: run "strongroom init".`)
  return found
}

/** Name with version → handle, for the secret keys whose label fits; the pattern's group is the name. */
export function versionsOf(objects: readonly TokenObject[], pattern: RegExp): Map<string, KeyHandle> {
  return new Map(
    objects.flatMap(({ label }) => {
      const name = pattern.exec(label)?.[1]
      return name === undefined ? [] : [[name, required(objects, label, pkcs11.CKO_SECRET_KEY)]]
    }),
  )
}

function sameVersion(keks: ReadonlyMap<string, KeyHandle>, backup: Named): Named | undefined {
  const name = `backup-exportable.v${versionOf(backup.name)}`
  const handle = keks.get(name)
  return handle && { name, handle }
}

/** Version → handle of one role's secret keys. */
export function versionsOfRole(objects: readonly TokenObject[], role: RootRole): Map<number, KeyHandle> {
  const pattern = new RegExp(`^strongroom\\.(${role.replaceAll('.', '\\.')}\\.v[1-9]\\d*)$`)
  return new Map([...versionsOf(objects, pattern)].map(([name, handle]) => [versionOf(name), handle]))
}

/** The one of this name with the highest version. */
export function newestOf(versions: ReadonlyMap<string, KeyHandle>, name: string): Named | undefined {
  const fitting = [...versions].filter(([version]) => version.startsWith(`${name}.v`))
  const [newest] = fitting.toSorted(([a], [b]) => versionOf(b) - versionOf(a))
  return newest && { name: newest[0], handle: newest[1] }
}

export function versionOf(name: string): number {
  return Number(name.slice(name.lastIndexOf('.v') + 2))
}
