import { Fault } from '../../fault.ts'
import { type CeremonyHelperOptions, createCeremonyHelper } from './ceremony-helper.ts'
import { withDirectorySync } from './directory-sync.ts'
import { hidesKeys } from './kek-probe.ts'
import type { Pkcs11Session } from './pkcs11-session.ts'
import { makeRoot, type RootMaking } from './root-makers.ts'
import {
  backupRoles,
  findRoot,
  roleOf,
  rootClass,
  rootLabel,
  type RootRole,
  rootRoles,
  versionOf,
  versionsOfBackupKeys,
  versionsOfRole,
} from './root-objects.ts'
import { listObjects, type TokenObject } from './token-objects.ts'
import { type OpenToken, withToken } from './token-opening.ts'

export interface RootCreationOptions extends CeremonyHelperOptions {
  /** Whether the token has been in use. If so, nothing is made where it lacks a key that it must have had. */
  readonly isUsed?: boolean
  /** Whether new keys may move to another token (`hsm.movable`). */
  readonly movable?: boolean
}

export function rootMaking(token: OpenToken, options: RootCreationOptions): RootMaking {
  const { session, mechanisms } = token
  const helper = createCeremonyHelper(options, token)
  return { session, mechanisms, helper, movable: options.movable === true, warnings: new Set<string>() }
}

export interface RootCreation {
  readonly token: { readonly label: string; readonly serial: string }
  /** Labels of new root objects, in the order in which they were made. */
  readonly created: readonly string[]
  readonly present: readonly string[]
  /** Features that the token refused and the consequences, in sentences; empty for SoftHSM2. */
  readonly warnings: readonly string[]
}

/**
 * Makes the root objects that the token lacks and changes no existing one. Loads the module into this process and
 * finalizes it. Must not run while a token host makes objects.
 * @throws Fault `hsm.unavailable` when the token cannot be reached or fails; `hsm.unsupported` when the ceremony helper
 * has not been built; `hsm.rejected` when `isUsed` and a key is missing; PinRefused
 */
export function createRootObjects(options: RootCreationOptions): RootCreation {
  return withToken(options, (token) => withDirectorySync(options.tokenDirectory, () => createMissing(token, options)))
}

function createMissing(token: OpenToken, options: RootCreationOptions): RootCreation {
  const { session, info } = token
  const objects = listObjects(token)
  const making = rootMaking(token, options)
  const created: string[] = []
  const present: string[] = []
  const lasting = rootRoles.filter((one) => !isBackupRole(one))
  const gone = lasting.filter((role) => labelsOf(objects, role).length === 0)
  // Backup keys may be new in a release. The others are made by every release.
  if (options.isUsed === true && gone.length > 0)
    throw new Fault(
      'hsm.rejected',
      `The token ${info.label}, serial ${info.serialNumber}, has no ${gone.join(', ')}, but the database is in use: new keys would open nothing that is in it, and log no user in. Nothing was made. Restore the token from its backup, or correct hsm.token; to go on with another token, "strongroom migrate token" takes the keys along.`,
    )
  for (const role of lasting) {
    const there = labelsOf(objects, role)
    present.push(...there)
    if (there.length > 0) continue
    makeRoot(role, 1, making)
    created.push(rootLabel(role, 1))
  }
  const made = makeBackupKeys(versionToMake(objects, session), making, objects)
  return {
    token: { label: info.label, serial: info.serialNumber },
    created: [...created, ...made],
    present: [...present, ...objects.map(({ label }) => label).filter((label) => isOfBackup(label))].toSorted(),
    warnings: [...making.warnings],
  }
}

/**
 * Makes root keys for the roles that have none in this token, with the version after the last one in the other token
 * (`elsewhere`: its labels).
 */
export function makeAbsent(making: RootMaking, objects: readonly TokenObject[], elsewhere: readonly string[]): void {
  const absent = rootRoles.filter((role) => labelsOf(objects, role).length === 0)
  for (const role of absent)
    if (role !== 'audit' && !isBackupRole(role))
      makeRoot(role, Math.max(0, ...elsewhere.filter((label) => roleOf(label) === role).map(versionOf)) + 1, making)
  if (absent.some(isBackupRole)) makeBackupKeys(Date.now(), making, objects)
}

/** Labels of all versions of a role. Version 1 may be gone after a rotation. */
function labelsOf(objects: readonly TokenObject[], role: RootRole): string[] {
  const labels = new Set(objects.map(({ label }) => label).filter((label) => roleOf(label) === role))
  return [...labels].filter((label) => findRoot(objects, label, rootClass(role)) !== undefined)
}

/** Makes one version of the three backup keys, except those that exist. Returns the labels of the new keys. */
export function makeBackupKeys(version: number, making: RootMaking, objects: readonly TokenObject[]): string[] {
  return backupRoles.flatMap((role) => {
    const label = rootLabel(role, version)
    if (findRoot(objects, label, rootClass(role)) !== undefined) return []
    makeRoot(role, version, making)
    return [label]
  })
}

/**
 * The version of backup keys to make or complete. Its number is the time of its making, so that versions of appliances
 * that share theirs never collide and the newest is the newest everywhere. Returns the newest version, which may be
 * incomplete. Returns a new one for a new token, and where the newest backup KEK is of release 0.2.0 and has no unwrap
 * template, although the token supports them.
 */
function versionToMake(objects: readonly TokenObject[], session: Pkcs11Session): number {
  const newest = Math.max(0, ...versionsOfBackupKeys(objects))
  if (newest === 0) return Date.now()
  const kek = versionsOfRole(objects, 'kek.backup').get(newest)
  const [strict] = versionsOfRole(objects, 'kek.strict').values()
  const takesTemplates = strict === undefined || hidesKeys(session, strict)
  if (kek !== undefined && takesTemplates && !hidesKeys(session, kek)) return Math.max(newest + 1, Date.now())
  return newest
}

const isBackupRole = (role: string): boolean => (backupRoles as readonly string[]).includes(role)
const isOfBackup = (label: string): boolean => backupRoles.some((role) => label.startsWith(`strongroom.${role}.v`))
