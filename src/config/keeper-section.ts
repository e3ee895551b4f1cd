import { dirname, join } from 'node:path'
import { z } from 'zod'
import { path } from './value-shapes.ts'

export const keeper = z.strictObject({
  socket: path.describe('Unix socket of the keeper for the workers of the daemon.'),
  operatorSocket: path.describe(
    'Unix socket of the keeper for the `strongroom` command: only operators may connect to it.',
  ),
  state: path.describe('SQLite file of what the keeper must not forget; on permanent storage, readable only by it.'),
})

export interface KeeperConfig extends z.infer<typeof keeper> {
  /** SQLite file beside `state`, with the newest generation of each record. Token hosts read it. */
  readonly floors: string
}

interface HsmPaths {
  readonly hsm: {
    readonly sockets: readonly string[]
    readonly tokenDirectory?: string | undefined
    readonly keeper?: z.infer<typeof keeper> | undefined
  }
}

/**
 * The keeper's settings. The defaults are sockets beside those of the token hosts, and a file beside a software token.
 */
export function keeperOf({ hsm }: HsmPaths): KeeperConfig {
  if (hsm.keeper !== undefined) return { ...hsm.keeper, floors: floorsBeside(hsm.keeper.state) }
  const run = dirname(hsm.sockets[0] ?? '')
  const folder = hsm.tokenDirectory === undefined ? '/var/lib/strongroom-token' : dirname(hsm.tokenDirectory)
  const state = join(folder, 'keeper.sqlite')
  return {
    socket: join(run, 'keeper.sock'),
    operatorSocket: join(run, 'operator.sock'),
    state,
    floors: floorsBeside(state),
  }
}

const floorsBeside = (state: string): string => join(dirname(state), 'floors.sqlite')
