import { Fault } from '../../fault.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import { roleOf, type RootRole, versionOf } from '../../hsm/pkcs11/root-objects.ts'
import { isBackupRole } from '../../hsm/pkcs11/root-rotation.ts'
import type { HostStatus, TokenStatus } from '../../hsm/token-status.ts'

/** One version of a root key. */
export interface RootVersion {
  readonly role: RootRole
  readonly version: number
  readonly label: string
  /** Whether new keys and seals use this version. */
  readonly newest: boolean
  /** Weaknesses that anyone with the PIN can use. */
  readonly lacks: readonly string[]
  /** For a strict or backup KEK: whether it lets keys out in readable form. */
  readonly readable: boolean
}

/** The versions of all roles, by role, oldest first. */
export function rootVersionsOf({ objects }: TokenStatus): RootVersion[] {
  const found = objects.root.flatMap((label) => {
    const role = roleOf(label)
    return role === undefined ? [] : [{ role, version: versionOf(label), label }]
  })
  const inUse = new Map(objects.newest.map((label) => [roleOf(label), versionOf(label)]))
  const newestOf = (role: RootRole) =>
    inUse.get(isBackupRole(role) ? 'kek.backup' : role) ??
    Math.max(...found.filter((one) => one.role === role).map((one) => one.version))
  return found
    .map((one) => ({
      ...one,
      newest: one.version === newestOf(one.role),
      lacks: objects.weaknesses.find(({ label }) => label === one.label)?.lacks ?? [],
      readable: objects.readableKeks.includes(one.label),
    }))
    .toSorted((a, b) => a.role.localeCompare(b.role) || a.version - b.version)
}

/**
 * The token's state, on which hosts and keeper must agree. Being asked makes them notice new versions; a host that does
 * not answer notices them when it starts.
 * @throws Fault `hsm.unavailable` if none answers, or if two see different versions
 */
export async function agreedStatus(hsm: Pick<Hsm, 'status' | 'keeperStatus'>): Promise<TokenStatus> {
  const statuses = await allStatuses(hsm)
  const [first, ...others] = statuses.flatMap(({ token }) => (token === undefined ? [] : [token]))
  if (first === undefined) throw new Fault('hsm.unavailable', statuses[0]?.reason)
  const seen = JSON.stringify(first.objects.root)
  if (others.some(({ objects }) => JSON.stringify(objects.root) !== seen))
    throw new Fault('hsm.unavailable', 'Token hosts see different root keys: restart them, then try again.')
  return first
}

/**
 * Requires that all processes answer: a silent one may still make keys under an older version.
 * @throws Fault `hsm.unavailable`
 */
export async function requireAll(hsm: Pick<Hsm, 'status' | 'keeperStatus'>): Promise<void> {
  const silent = (await allStatuses(hsm)).find(({ token }) => token === undefined)
  if (silent !== undefined)
    throw new Fault(
      'hsm.unavailable',
      `${silent.socket} is ${silent.state}, and may not know the newest version: see strongroom doctor.`,
    )
}

/** Asks the hosts before the keeper, so that they know a new version before the keeper seals with it. */
async function allStatuses(hsm: Pick<Hsm, 'status' | 'keeperStatus'>): Promise<HostStatus[]> {
  const hosts = await hsm.status()
  return [await hsm.keeperStatus(), ...hosts]
}

/** The name of a KEK in rows of the database, for example `strict.v1`; undefined for other root keys. */
export function kekOf({ role, version }: Pick<RootVersion, 'role' | 'version'>): string | undefined {
  return role.startsWith('kek.') ? `${role.slice('kek.'.length)}.v${version}` : undefined
}
