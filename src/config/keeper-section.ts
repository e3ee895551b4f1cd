import { dirname, join } from 'node:path'
import { z } from 'zod'
import { path } from './value-shapes.ts'

export const keeper = z.strictObject({
  socket: path.describe('Unix socket of the keeper for the workers of the daemon.'),
  operatorSocket: path.describe('Unix socket of the keeper for the console: only operators may connect to it.'),
  state: path.describe('SQLite file of what the keeper must not forget; on a disk that lasts, readable by it alone.'),
})

export type KeeperConfig = z.infer<typeof keeper>

interface HsmPaths {
  readonly hsm: {
    readonly sockets: readonly string[]
    readonly tokenDirectory?: string | undefined
    readonly keeper?: KeeperConfig | undefined
  }
}

/** Where no section says otherwise: sockets beside those of the token hosts, the file beside a software token. */
export function keeperOf({ hsm }: HsmPaths): KeeperConfig {
  if (hsm.keeper !== undefined) return hsm.keeper
  const run = dirname(hsm.sockets[0] ?? '')
  const folder = hsm.tokenDirectory === undefined ? '/var/lib/strongroom-token' : dirname(hsm.tokenDirectory)
  return {
    socket: join(run, 'keeper.sock'),
    operatorSocket: join(run, 'operator.sock'),
    state: join(folder, 'keeper.sqlite'),
  }
}
