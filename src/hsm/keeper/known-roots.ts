import { roleOf, type RootRole, versionOf } from '../pkcs11/root-objects.ts'
import type { Token } from '../pkcs11/token-link.ts'
import { type Generation, newestRoots, newestRootSubject } from '../record-generation.ts'
import { openFloors, type WritableFloors } from './floors.ts'

/** Roles with a newest version of their own: all backup keys have that of the backup KEK. */
const roles: ReadonlySet<RootRole> = new Set(['kek.strict', 'kek.exportable', 'kek.backup', 'seal', 'pepper', 'audit'])

/** Notes that the operator has had the root keys with these labels made. */
export function noteRoots(floors: Pick<WritableFloors, 'raise'>, labels: readonly string[]): void {
  const generations = labels.flatMap((label): Generation[] => {
    const [role, number] = [roleOf(label), versionOf(label)]
    if (role === undefined || !roles.has(role) || !Number.isSafeInteger(number)) return []
    return [{ subject: newestRootSubject(role), number }]
  })
  floors.raise(...generations)
}

/**
 * The same in the file of floors itself, for a command during which the token has no PIN that the keeper knows. A command
 * that is interrupted before this does its work again when it is repeated, and one that is interrupted afterwards has
 * nothing left to note.
 */
export function noteRootsIn(file: string, labels: readonly string[]): void {
  const floors = openFloors(file)
  try {
    noteRoots(floors, labels)
  } finally {
    floors.close()
  }
}

/** Notes the newest root keys in the token, of roles of which none was noted before. False while the token is away. */
export function noteFirstRoots(token: Token, floors: Pick<WritableFloors, 'of' | 'raise'>): boolean {
  if (token.state() !== 'ready') return false
  const isNew = (label: string): boolean => floors.of(newestRootSubject(roleOf(label) ?? '')) === undefined
  noteRoots(
    floors,
    token.run(({ roots }) => roots.newest.filter(isNew)),
  )
  return true
}

/**
 * Versions are counts, and for backup keys times in milliseconds: none is above this until the year 2527. Keepers that
 * tell of higher ones are an attacker's.
 */
const highestVersion = 2 ** 44

/** Whether another keeper may tell of this floor. */
export const mayBeTold = (subject: Buffer, number: number): boolean =>
  number <= highestVersion || !subject.subarray(0, newestRoots.length).equals(newestRoots)

/**
 * Lowers the floors to the newest versions in the token: a keeper in an attacker's hands may have told the others of
 * versions that do not exist, and keys that the attacker plants later would be taken for those. While the token is away
 * they stay.
 */
export function lowerRoots(token: Token, floors: Pick<WritableFloors, 'lower'>): void {
  if (token.state() !== 'ready') return
  // The operator may have had a version made a moment ago.
  token.takeUpFloors()
  for (const label of token.run(({ roots }) => roots.newest))
    floors.lower({ subject: newestRootSubject(roleOf(label) ?? ''), number: versionOf(label) })
}
