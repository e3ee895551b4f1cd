import pkcs11 from 'pkcs11js'
import { withDirectorySync } from './directory-sync.ts'
import { makeBackupKeys, rootMaking, type RootCreationOptions } from './root-creation.ts'
import { makeRoot } from './root-makers.ts'
import { backupRoles, roleOf, type RootRole, rootLabel, versionOf } from './root-objects.ts'
import { listObjects, noticeChanges } from './token-objects.ts'
import { withToken } from './token-opening.ts'

/** Roles of root keys that may have several versions. */
export const rotatableRoles = ['kek.strict', 'kek.exportable', ...backupRoles, 'seal', 'audit', 'pepper'] as const
export type RotatableRole = (typeof rotatableRoles)[number]

/** Roles that share versions with this one: backup keys are made, shared and destroyed together. */
export function rotatedWith(role: RotatableRole): readonly RotatableRole[] {
  return isBackupRole(role) ? backupRoles : [role]
}

export interface NextVersion {
  /** Labels of the new keys. */
  readonly made: readonly string[]
  /** Features that the token refused and the consequences, in sentences. */
  readonly warnings: readonly string[]
}

/**
 * Makes the version that is used for new keys from now on. Other processes with the token notice it at their next
 * status request. Loads the module into this process, as `createRootObjects` does.
 */
export function makeNextVersion(options: RootCreationOptions, role: RotatableRole): NextVersion {
  return withToken(options, (token) =>
    withDirectorySync(options.tokenDirectory, () => {
      const making = rootMaking(token, options)
      const objects = listObjects(token)
      const together: readonly (RootRole | undefined)[] = rotatedWith(role)
      const labels = objects.map(({ label }) => label).filter((label) => together.includes(roleOf(label)))
      const newest = Math.max(0, ...labels.map(versionOf))
      if (isBackupRole(role)) {
        // The version number of backup keys is the time of their making.
        const made = makeBackupKeys(Math.max(newest + 1, Date.now()), making, objects)
        return { made, warnings: [...making.warnings] }
      }
      makeRoot(role, newest + 1, making)
      return { made: [rootLabel(role, newest + 1)], warnings: [...making.warnings] }
    }),
  )
}

/** Destroys the versions with these labels, except public halves. A label that does not exist is no error. */
export function destroyVersions(options: RootCreationOptions, labels: readonly string[]): void {
  withToken(options, (token) =>
    withDirectorySync(options.tokenDirectory, () => {
      noticeChanges(token.session)
      for (const { handle, label, objectClass } of listObjects(token))
        if (labels.includes(label) && objectClass !== pkcs11.CKO_PUBLIC_KEY) token.session.destroy(handle)
    }),
  )
}

export function isBackupRole(role: RootRole): role is (typeof backupRoles)[number] {
  return (backupRoles as readonly string[]).includes(role)
}
