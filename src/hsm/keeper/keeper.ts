import type { Server } from 'node:net'
import { dirname } from 'node:path'
import { readEnvironment } from '../../config/environment.ts'
import { keeperOf } from '../../config/keeper-section.ts'
import { isFault } from '../../fault.ts'
import { listenOn, listenOnPassed, type SocketUse } from '../server/frame-server.ts'
import { createRoomField } from '../server/token-room.ts'
import { startTokenProcess, type TokenProcess } from '../server/token-process.ts'
import { createFileHealth } from './file-health.ts'
import { createKeeperDispatch } from './keeper-dispatch.ts'
import { openKeeperMemory } from './keeper-memory.ts'
import { noteFirstRoots } from './known-roots.ts'
import type { Origin } from './record-change.ts'

/** How often a keeper that was started while the token was away, or its disk full, looks whether that is over. */
const retryMs = 1_000

/**
 * Opens the token and serves workers and the operator, on the sockets of the configuration or those that systemd
 * passes. `socketGroup`: the group of the workers, if they run under another user.
 */
export function startKeeper(
  configFile: string,
  { systemd, socketGroup }: { readonly systemd: boolean; readonly socketGroup?: number | undefined },
): TokenProcess {
  return startTokenProcess({
    configFile,
    name: 'strongroom-keeper',
    serve(token, config, log, fail) {
      const { socket, operatorSocket, ...files } = keeperOf(config)
      const report = (sentence: string) => log.warn({}, sentence)
      const health = createFileHealth(files.state, report, fail)
      const clocks = { now: Date.now, elapsed: () => Math.floor(performance.now()) }
      const memory = health.guard(() => openKeeperMemory({ token, files, config, ...clocks, report }))
      const room = createRoomField(token, dirname(files.state))
      const served = (origin: Origin, file: string, use: Omit<SocketUse, 'process'>) => ({
        dispatch: createKeeperDispatch(token, memory, origin, { health, room }),
        listen: (server: Server) =>
          systemd
            ? listenOnPassed(server, passedDescriptor(origin))
            : listenOn(server, file, { ...use, process: 'keeper' }),
      })
      return {
        together: (requests) => health.guard(() => memory.together(requests)),
        // The operator's socket is for its owner and root only. It is made first, so that both are there when the daemon
        // gets its first answer at the other.
        sockets: [
          served('operator', operatorSocket, { setting: 'hsm.keeper.operatorSocket' }),
          served('worker', socket, { setting: 'hsm.keeper.socket', group: socketGroup }),
        ],
        begin() {
          const giveUp = repeatUntil(() => health.guard(() => noteFirstRoots(token, memory.floors)))
          return () => {
            giveUp()
            memory.close()
          }
        },
      }
    },
  })
}

/** Does the work now, and again each second until it gives true. Returns a function that ends this. */
function repeatUntil(work: () => boolean): () => void {
  let timer: NodeJS.Timeout | undefined
  function attempt(): void {
    if (!isDone()) timer = setTimeout(attempt, retryMs)
  }
  function isDone(): boolean {
    try {
      return work()
    } catch (error) {
      // `FileHealth` has reported a disk that takes no changes.
      if (isFault(error, 'hsm.unavailable')) return false
      throw error
    }
  }
  attempt()
  return () => clearTimeout(timer)
}

/**
 * Finds a passed socket by the name in its unit, since systemd passes several in no defined order.
 * @throws Error where it is missing
 */
function passedDescriptor(origin: Origin): number {
  const at = readEnvironment().passedSockets.indexOf(origin)
  if (at === -1) throw new Error(`systemd passes no socket named ${origin}: see strongroom-keeper.socket`)
  return 3 + at
}
