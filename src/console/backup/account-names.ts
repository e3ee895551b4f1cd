import { execFileSync } from 'node:child_process'

export interface Account {
  readonly name: string
  readonly id: number
}

const known = new Map<string, Account | undefined>()

/**
 * A user or group of this machine, by name or number. Uses getent(1), because Node has no look-up, and caches the
 * results.
 */
export function accountOf(database: 'passwd' | 'group', nameOrId: string): Account | undefined {
  const key = `${database} ${nameOrId}`
  if (!known.has(key)) known.set(key, lookUp(database, nameOrId))
  return known.get(key)
}

function lookUp(database: 'passwd' | 'group', nameOrId: string): Account | undefined {
  try {
    const line = execFileSync('getent', [database, nameOrId], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const [name = '', , id] = line.split(':')
    return { name, id: Number(id) }
  } catch {
    return undefined
  }
}
