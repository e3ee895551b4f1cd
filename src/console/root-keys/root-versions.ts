import { Fault } from '../../fault.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import { roleOf, type RootRole, versionOf } from '../../hsm/pkcs11/root-objects.ts'
import type { HostStatus, TokenStatus } from '../../hsm/token-status.ts'

/** One version of a root key. */
export interface RootVersion {
  readonly role: RootRole
  readonly version: number
  readonly label: string
  /** The one that is used for what is new. */
  readonly newest: boolean
  /** What it allows whoever holds the PIN. */
  readonly lacks: readonly string[]
  /** Of a strict or backup KEK: whether keys come readable from under it. */
  readonly readable: boolean
}

/** Of all roles, in the order of their labels, oldest first. */
export function rootVersionsOf({ objects }: TokenStatus): RootVersion[] {
  const found = objects.root.flatMap((label) => {
    const role = roleOf(label)
    return role === undefined ? [] : [{ role, version: versionOf(label), label }]
  })
  const newestOf = (role: RootRole) => Math.max(...found.filter((one) => one.role === role).map((one) => one.version))
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
 * The token as hosts and keeper see it: being asked, they take note of new versions. One that does not answer finds them
 * when it starts. Throws `hsm.unavailable` where none answers, or where two see different versions.
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

/** Throws `hsm.unavailable` unless all answer: one that does not may still make keys under an older version. */
export async function requireAll(hsm: Pick<Hsm, 'status' | 'keeperStatus'>): Promise<void> {
  const silent = (await allStatuses(hsm)).find(({ token }) => token === undefined)
  if (silent !== undefined)
    throw new Fault(
      'hsm.unavailable',
      `${silent.socket} is ${silent.state}, and may not know the newest version: see strongroom doctor.`,
    )
}

/** Hosts first: what the keeper seals by a version that is new to it, they know by then. */
async function allStatuses(hsm: Pick<Hsm, 'status' | 'keeperStatus'>): Promise<HostStatus[]> {
  const hosts = await hsm.status()
  return [await hsm.keeperStatus(), ...hosts]
}

/** A KEK as the rows of the database name it, for example `strict.v1`; undefined for other root keys. */
export function kekOf({ role, version }: Pick<RootVersion, 'role' | 'version'>): string | undefined {
  return role.startsWith('kek.') ? `${role.slice('kek.'.length)}.v${version}` : undefined
}
