import { execFileSync } from 'node:child_process'
import { ConfigError } from '../config/loader.ts'
import type { ProcessUsers } from '../config/processes-section.ts'

/** A user of this machine, by numbers. */
export interface Identity {
  readonly name: string
  readonly uid: number
  readonly gid: number
  /** All groups, the primary group included. */
  readonly groups: readonly number[]
}

export interface Identities {
  readonly workers: Identity
  readonly inside: Identity
}

/** @throws ConfigError where a user does not exist, both are the same, or one is root */
export function identitiesOf(users: ProcessUsers): Identities {
  const [workers, inside] = [identityOf(users.workers, 'workers'), identityOf(users.inside, 'inside')]
  if (workers.uid === inside.uid)
    throw new ConfigError(
      `processes.workers and processes.inside are the same user ${workers.name}: workers could read the PIN`,
    )
  for (const { name, uid } of [workers, inside])
    if (uid === 0) throw new ConfigError(`processes names ${name}, who is root: name users who may do nothing else`)
  return { workers, inside }
}

function identityOf(name: string, option: keyof ProcessUsers): Identity {
  const identity = identityNamed(name)
  if (identity !== undefined) return identity
  throw new ConfigError(
    `processes.${option} names ${name}, a user who does not exist: useradd --system --user-group --shell /usr/sbin/nologin ${name}`,
  )
}

/**
 * Looks a user up by name, or by number, with id(1), because Node can do neither. Undefined where there is no such user.
 * Its words are translated, and names of groups may have blanks.
 */
export function identityNamed(user: string): Identity | undefined {
  const line = /^uid=(\d+)\((.+?)\) gid=(\d+).* groups=(.+)$/.exec(output('env', 'LC_ALL=C', 'id', user) ?? '')
  if (line === null) return undefined
  const [, uid, name = '', gid, groups = ''] = line
  return {
    name,
    uid: Number(uid),
    gid: Number(gid),
    groups: groups.split(',').map((group) => Number.parseInt(group, 10)),
  }
}

/** What a program writes, without blanks at its ends. Undefined where it fails. */
export function output(...[command, ...args]: [string, ...string[]]): string | undefined {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return undefined
  }
}

/**
 * The arguments of setpriv(1) that run a command as this user without root's capabilities, and without a way to regain
 * them by a setuid program. Node's `uid` and `gid` of a child process leave that way open (NoNewPrivs 0, and the whole
 * bounding set, measured). `capabilities` are kept, by names without `cap_`.
 */
export function runAs(
  { uid, gid, groups }: Identity,
  {
    moreGroups = [],
    capabilities = [],
  }: { readonly moreGroups?: readonly number[]; readonly capabilities?: readonly string[] },
): string[] {
  const kept = ['-all', ...capabilities.map((name) => `+${name}`)].join(',')
  return [
    'setpriv',
    `--reuid=${uid}`,
    `--regid=${gid}`,
    `--groups=${[...new Set([...groups, ...moreGroups])].join(',')}`,
    '--no-new-privs',
    `--inh-caps=${kept}`,
    `--ambient-caps=${kept}`,
    `--bounding-set=${kept}`,
    // The whole daemon ends when the root process does.
    '--pdeathsig=TERM',
  ]
}
