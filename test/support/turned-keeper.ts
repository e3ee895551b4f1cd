import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readSecret } from '../../src/config/loader.ts'
import { createHsmClient } from '../../src/hsm/client/hsm-client.ts'
import type { Hsm } from '../../src/hsm/hsm.ts'
import { createFileHealth } from '../../src/hsm/keeper/file-health.ts'
import { createKeeperDispatch } from '../../src/hsm/keeper/keeper-dispatch.ts'
import { openKeeperMemory } from '../../src/hsm/keeper/keeper-memory.ts'
import type { Origin } from '../../src/hsm/keeper/record-change.ts'
import { createToken } from '../../src/hsm/pkcs11/token-link.ts'
import { knownPin } from '../../src/hsm/pkcs11/user-pin.ts'
import { createFrameServer, listenOn } from '../../src/hsm/server/frame-server.ts'
import { createRequestQueue } from '../../src/hsm/server/request-queue.ts'
import { createLog } from '../../src/log.ts'
import type { TestAppliance } from './appliance.ts'

/**
 * Starts a second keeper over the token of an appliance in the test process, with its own files and a clock that the
 * test controls; and a client of it and of the appliance's token hosts. `origin`: whose socket the client has.
 */
export async function startKeeperAt(
  { config }: Pick<TestAppliance, 'config'>,
  now: () => number,
  origin: Origin = 'operator',
): Promise<{ readonly hsm: Hsm; close(): Promise<void> }> {
  const { module, token: uri, softhsmConf, handles, pinFile, sockets, deadlineMs, queue } = config.hsm
  const directory = mkdtempSync(join(tmpdir(), 'strongroom-keeper-'))
  const token = createToken({ module, uri, softhsmConf, handles, pin: knownPin(readSecret(pinFile)) })
  token.open()
  const log = createLog({ name: 'keeper of the test', level: 'fatal' })
  const files = { state: join(directory, 'keeper.sqlite'), floors: join(directory, 'floors.sqlite') }
  const health = createFileHealth(
    files.state,
    () => undefined,
    () => undefined,
  )
  const memory = health.guard(() =>
    openKeeperMemory({ token, files, config, now, elapsed: now, report: () => undefined }),
  )
  const server = createFrameServer({
    unfinished: { hold: () => undefined },
    unread: { hold: () => undefined },
    dispatch: createKeeperDispatch(token, memory, origin, { health, room: () => Buffer.alloc(0) }),
    queue: createRequestQueue({ limit: queue, limitBytes: 2 ** 28, deadlineMs }),
    log,
  })
  const socket = join(directory, 'keeper.sock')
  await listenOn(server, socket, { setting: 'hsm.keeper.socket', process: 'keeper' })
  const hsm = createHsmClient({ sockets, keeper: socket, deadlineMs, queue })
  return {
    hsm,
    async close() {
      await hsm.close()
      server.close()
      memory.close()
      token.close()
      rmSync(directory, { recursive: true })
    },
  }
}
