import pkcs11, { type Mechanism } from 'pkcs11js'
import { Fault } from '../../fault.ts'
import type { KekName } from '../key-kind.ts'
import { ecdsa, hmacSha256, keyWrap, paddedWrap } from './mechanisms.ts'
import { hidesKeys } from './kek-probe.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'
import type { AuditPair, KnownVersion, Named, RootKeys } from './root-keys.ts'
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

export const kekNames: readonly KekName[] = ['strict', 'exportable', 'backup', 'backup-exportable']

/**
 * A search takes up to a second in a token with thousands of vault keys, and any caller can name an unknown version.
 */
const searchEveryMs = 5_000

/**
 * Finds the root keys. `search` returns all objects in the token, and is called again for an unknown version, which
 * another process may have made.
 * @throws Fault `hsm.unavailable` where a root object is missing; only `strongroom init` makes root objects
 */
export function findRootKeys(
  search: () => readonly TokenObject[],
  session: Pkcs11Session,
  known: KnownVersion,
): RootKeys {
  const lookForKnown = createKnownLook(
    known,
    () => refresh(search()),
    () => found.newest,
  )
  let found = readRoots(search(), known)
  let [searchedMs, sealsGone] = [-Infinity, 0]
  const refresh = (objects: readonly TokenObject[]) => {
    const { newestKeks: before, seals } = found
    try {
      found = readRoots(objects, known)
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
    get newest() {
      return found.newest
    },
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
    lookForKnown,
    searchAgain,
  }
}

/** How often the token is searched for a known version that it does not have: an HSM may copy objects late. */
const lookEveryMs = 60_000

/** See `RootKeys.lookForKnown`. `newest`: labels of the newest known versions that the last `look` found. */
function createKnownLook(known: KnownVersion, look: () => boolean, newest: () => readonly string[]): () => boolean {
  const numbers = (): string => rootRoles.map((role) => known(role)).join()
  const isNewest = (label: string): boolean => {
    const role = roleOf(label)
    const version = role && known(role)
    return version === undefined || version === versionOf(label)
  }
  let [wanted, lookedMs, isFound] = [numbers(), 0, true]
  return () => {
    const before = wanted
    wanted = numbers()
    const isNews = wanted !== before
    if (!isNews && (isFound || performance.now() - lookedMs < lookEveryMs)) return false
    lookedMs = performance.now()
    const isOther = look()
    isFound = newest().every(isNewest)
    return isOther
  }
}

/** @throws Fault `hsm.unavailable` where a root object is missing that every use of the token needs */
function readRoots(objects: readonly TokenObject[], known: KnownVersion) {
  const secret = (label: string) => required(objects, label, pkcs11.CKO_SECRET_KEY)
  const keks = versionsOf(objects, /^strongroom\.kek\.((?:strict|exportable|backup|backup-exportable)\.v[1-9]\d*)$/)
  const backupSeals = versionsOf(objects, /^strongroom\.(backup-seal\.v[1-9]\d*)$/)
  const newest = (versions: ReadonlyMap<string, KeyHandle>, name: string, role: RootRole, most = known(role)): Named =>
    newestOf(versions, name, most) ?? { name: `${name}.v1`, handle: secret(rootLabel(role, 1)) }
  const [strict, exportable] = [newest(keks, 'strict', 'kek.strict'), newest(keks, 'exportable', 'kek.exportable')]
  const backup = newest(keks, 'backup', 'kek.backup')
  const seals = newestFirst(objects, 'seal', known('seal'))
  const peppers = newestFirst(objects, 'pepper', known('pepper'))
  const audits = auditPairs(objects)
  const knownAudit = known('audit')
  const signing = [...audits]
    .flatMap(([version, { privateKey }]) => (privateKey === undefined ? [] : [version]))
    .toSorted((a, b) => byAge(a, b, knownAudit))
  return {
    newest: [
      ...[strict, exportable, backup].map(({ name }) => `strongroom.kek.${name}`),
      ...labelOfFirst('seal', seals.keys()),
      ...labelOfFirst('pepper', peppers.keys()),
      ...labelOfFirst('audit', signing),
    ],
    seals,
    sealHandles: [...seals.values()],
    peppers,
    audits,
    keks,
    newestKeks: {
      strict,
      exportable,
      backup,
      // In versions of release 0.2.0 one KEK wraps all backups.
      'backup-exportable': sameVersion(keks, backup) ?? backup,
    },
    backupSeals,
    newestBackupSeal: () => newest(backupSeals, 'backup-seal', 'backup-seal', known('kek.backup')),
  }
}

const labelOfFirst = (role: RootRole, versions: Iterable<number>): string[] =>
  [...versions].slice(0, 1).map((version) => rootLabel(role, version))

/**
 * The versions of a role, newest first.
 * @throws Fault `hsm.unavailable` where there is none
 */
function newestFirst(
  objects: readonly TokenObject[],
  role: RootRole,
  most: number | undefined,
): ReadonlyMap<number, KeyHandle> {
  const versions = [...versionsOfRole(objects, role)].toSorted(([a], [b]) => byAge(a, b, most))
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

/** The versions of the backup keys in the token, also of those that are not complete. */
export const versionsOfBackupKeys = (objects: readonly TokenObject[]): readonly number[] => [
  ...new Set(backupRoles.flatMap((role) => [...versionsOfRole(objects, role).keys()])),
]

function newestOf(versions: ReadonlyMap<string, KeyHandle>, name: string, most: number | undefined): Named | undefined {
  const fitting = [...versions].filter(([version]) => version.startsWith(`${name}.v`))
  const [newest] = fitting.toSorted(([a], [b]) => byAge(versionOf(a), versionOf(b), most))
  return newest && { name: newest[0], handle: newest[1] }
}

/** The newest first, and those above `most` last. */
const byAge = (one: number, other: number, most = Infinity): number =>
  Number(one > most) - Number(other > most) || other - one

export function versionOf(name: string): number {
  return Number(name.slice(name.lastIndexOf('.v') + 2))
}
