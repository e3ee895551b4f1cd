import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { keeperOf } from '../../config/keeper-section.ts'
import type { Config } from '../../config/schema.ts'
import { identitiesOf, identityNamed, output, runAs, type Identity } from '../../daemon/process-users.ts'

/** The users of the workers, and of keeper and token hosts. */
export type Users = Readonly<Record<'workers' | 'inside', Identity | undefined>>

/** As the configuration or the service units name them. Without either, the owners of their folders. */
export function usersOf({ hsm, audit, processes }: Config): Users {
  if (processes !== undefined) return identitiesOf(processes)
  const named = (unit: string): Identity | undefined => (hsm.spawn ? undefined : userOfUnit(unit))
  return {
    workers: named('strongroom.service') ?? ownerOf(audit.directory),
    inside: named('strongroom-keeper.service') ?? ownerOf(dirname(keeperOf({ hsm }).state)),
  }
}

function userOfUnit(unit: string): Identity | undefined {
  const name = output('systemctl', 'show', '-P', 'User', unit)
  return name === undefined || name === '' ? undefined : identityNamed(name)
}

/** Undefined where there is no such file. */
export function ownerOf(path: string): Identity | undefined {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return undefined
  // A user may have no entry in passwd(5), as in some containers.
  return identityNamed(String(stat.uid)) ?? { name: String(stat.uid), uid: stat.uid, gid: stat.gid, groups: [stat.gid] }
}

/**
 * Tests as that user if root runs the command, because the permissions of the folders above count too. For other users
 * it is assumed. `right` is an option of test(1).
 */
export function may(user: Identity, right: '-r' | '-w', file: string): boolean {
  if (process.getuid?.() !== 0 || user.uid === 0) return true
  return output('env', ...runAs(user, {}), 'test', right, file) !== undefined
}
