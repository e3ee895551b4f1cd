import { constants, setPriority } from 'node:os'
import { keyMakerSocketOf } from '../../config/key-maker-socket.ts'
import { keyMakerPatience } from '../protocol/key-maker-patience.ts'
import { listenOn, listenOnPassed } from '../server/frame-server.ts'
import { startTokenProcess, type ServedSocket, type TokenProcess } from '../server/token-process.ts'
import { createDispatch } from './dispatch.ts'
import { createKeyMaker, keyMakerQueue } from './key-maker.ts'

export interface TokenHostOptions {
  readonly configFile: string
  readonly socket: string | undefined
  readonly isPassed: boolean
  /** The workers' group, where they run under another user. */
  readonly socketGroup?: number | undefined
}

/**
 * Opens the token and serves it on this unix socket, which systemd passes where `isPassed`. On the key maker's socket it
 * makes RSA keys and does nothing else.
 */
export function startTokenHost({ configFile, socket, isPassed, socketGroup }: TokenHostOptions): TokenProcess {
  return startTokenProcess({
    configFile,
    name: 'strongroom-tokend',
    serve(token, { hsm }, log) {
      const { tokenDirectory, movable, rsaKeysAhead: keysAhead, deadlineMs } = hsm
      const isKeyMaker = socket === keyMakerSocketOf(hsm)
      const setting = isKeyMaker ? 'hsm.keyMakerSocket' : 'hsm.sockets'
      const listen: ServedSocket['listen'] = (server) =>
        socket === undefined || isPassed
          ? listenOnPassed(server)
          : listenOn(server, socket, { setting, process: 'token host', group: socketGroup })
      if (!isKeyMaker) return { sockets: [{ dispatch: createDispatch(token, { tokenDirectory, movable }), listen }] }
      const { dispatch, fill } = createKeyMaker({ token, tokenDirectory, keysAhead, log })
      // What others wait for goes first.
      setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
      return {
        sockets: [{ dispatch, listen }],
        limits: { limit: keyMakerQueue, deadlineMs: deadlineMs * keyMakerPatience },
        patience: keyMakerPatience,
        begin: (queue) => fill(queue).close,
      }
    },
  })
}
