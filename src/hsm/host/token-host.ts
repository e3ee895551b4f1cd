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
  /** Group id of the workers, where they run under another user. */
  readonly socketGroup?: number | undefined
}

/**
 * Opens the token and serves it on this unix socket, which systemd passes where `isPassed` is set. On the key maker's
 * socket it only makes RSA keys.
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
      // Others wait for the answers of the other processes, which therefore have priority.
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
