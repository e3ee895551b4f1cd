import pkcs11, { type Mechanism } from 'pkcs11js'
import { Fault } from '../../fault.ts'
import type { KekName } from '../key-kind.ts'
import { ecdsa, hmacSha256, keyWrap, paddedWrap } from './mechanisms.ts'
import { hidesKeys } from './kek-probe.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'
import type { TokenObject } from './token-objects.ts'

/** The roles of root objects. The label of version 1 is `strongroom.<role>.v1`. */
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

/** The keys for backups. One version of all three is made, shared and destroyed together. */
export const backupRoles = ['kek.backup', 'kek.backup-exportable', 'backup-seal'] as const

export function rootLabel(role: RootRole, version: number): string {
  return `strongroom.${role}.v${version}`
}

/** CKA_CLASS of a root object; for a pair, that of the private half. */
export function rootClass(role: RootRole): number {
  return role === 'audit' ? pkcs11.CKO_PRIVATE_KEY : pkcs11.CKO_SECRET_KEY
}

/** The only mechanisms that a root object is allowed. RFC 5649 has different numbers in different tokens. */
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
  /**
   * Undefined once this version is destroyed. The public half stays, because backups identify the appliance by the
   * first one.
   */
  readonly privateKey: KeyHandle | undefined
}

interface Named {
  /** Name with version, for example `strict.v1`. */
  readonly name: string
  readonly handle: KeyHandle
}

/**
 * The root objects that a host uses, found once per epoch, and again when there may be a new version. Backup keys are
 * looked up only when they are needed.
 */
export interface RootKeys {
  /** All versions, the newest first. The newest one seals; all of them verify. */
  readonly seals: readonly KeyHandle[]
  /** Increases when a version of the seal is gone. Records verified before have to be verified again. */
  readonly sealsGone: number
  /** By version, newest first. */
  readonly peppers: ReadonlyMap<number, KeyHandle>
  /** By version, oldest first. At least one of them can sign. */
  readonly audits: ReadonlyMap<number, AuditPair>
  /** The newest KEK of this name, which wraps new keys. */
  newestKek(name: KekName): Named
  /**
   * The KEK that a record names, for example `strict.v1`.
   * @throws Fault `hsm.rejected` where the token has no such key
   */
  kek(name: string): KeyHandle
  hasKek(name: string): boolean
  /** @throws Fault `hsm.unavailable` where the token has none */
  newestBackupSeal(): Named
  /** @throws Fault `hsm.rejected` where the token has no such seal */
  backupSeal(name: string): KeyHandle
  /** Whether the KEK that a record names has an effective unwrap template (`hidesKeys`), tried once per epoch. */
  hides(name: string): boolean
  /**
   * Updates the root keys from `objects`, which are all objects in the token. Returns whether another KEK is the newest
   * now.
   */
  refresh(objects: readonly TokenObject[]): boolean
  /**
   * Searches the token and updates the root keys, for use after a name or seal of an unknown version. Returns false
   * without a search when the last one was within `searchEveryMs`.
   */
  searchAgain(): boolean
}

/** CKA_ID of a root object, which is its label. An object with only the label or only the ID is not a root object. */
export function rootId(label: string): Buffer {
  return Buffer.from(label)
}

/**
 * The object with this label, the ID for the label, and this class; undefined where there is none.
 * @throws Fault `hsm.unavailable` for two such objects
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

/**
 * A search takes up to a second in a token with thousands of vault keys, and any caller can name an unknown version.
 */
const searchEveryMs = 5_000

/**
 * Finds the root keys. `search` returns all objects in the token, and is called again for an unknown version, which
 * another process may have made.
 * @throws Fault `hsm.unavailable` where a root object is missing; only `strongroom init` makes root objects
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
      // A missing key is reported when it is used.
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
    hasKek: (name) => found.keks.has(name),
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

/** @throws Fault `hsm.unavailable` where a root object is missing that every use of the token needs */
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
      // In versions of release 0.2.0 one KEK wraps all backups.
      'backup-exportable': sameVersion(keks, backup) ?? backup,
    },
    backupSeals,
    newestBackupSeal: () => newest(backupSeals, 'backup-seal', 'strongroom.'),
  }
}

/**
 * The versions of a role, newest first.
 * @throws Fault `hsm.unavailable` where there is none
 */
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

/** Map from name with version to handle, for secret keys whose label matches. The group of the pattern is the name. */
function versionsOf(objects: readonly TokenObject[], pattern: RegExp): Map<string, KeyHandle> {
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

/** Map from version to handle, for the secret keys of a role. */
export function versionsOfRole(objects: readonly TokenObject[], role: RootRole): Map<number, KeyHandle> {
  const pattern = new RegExp(`^strongroom\\.(${role.replaceAll('.', '\\.')}\\.v[1-9]\\d*)$`)
  return new Map([...versionsOf(objects, pattern)].map(([name, handle]) => [versionOf(name), handle]))
}

/** The highest version of this name. */
function newestOf(versions: ReadonlyMap<string, KeyHandle>, name: string): Named | undefined {
  const fitting = [...versions].filter(([version]) => version.startsWith(`${name}.v`))
  const [newest] = fitting.toSorted(([a], [b]) => versionOf(b) - versionOf(a))
  return newest && { name: newest[0], handle: newest[1] }
}

export function versionOf(name: string): number {
  return Number(name.slice(name.lastIndexOf('.v') + 2))
}
