import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { keyMakerSocketOf } from '../config/key-maker-socket.ts'
import { keeperOf } from '../config/keeper-section.ts'
import type { Config } from '../config/schema.ts'
import { Fault } from '../fault.ts'
import { createHsmClient } from '../hsm/client/hsm-client.ts'
import { createTokenSupervisor } from '../hsm/client/supervisor.ts'
import type { Hsm } from '../hsm/hsm.ts'
import { isServed } from '../hsm/protocol/served-socket.ts'
import { createLog } from '../log.ts'
import { leaveDatabaseToOwner } from './file-owner.ts'
import type { Invocation } from './invocation.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'

/** Access to the token for one command. */
export interface TokenAccess {
  readonly hsm: Hsm
  /** Whether a private token host was started for this command, because none of `hsm.sockets` answered. */
  readonly ownHost: boolean
  close(): Promise<void>
}

/**
 * Connects to the running token hosts. If none answers, starts a private one, which ends with `close`.
 * @throws Fault `hsm.unavailable` or `hsm.sealed` if the private one cannot open the token
 */
export async function reachToken(invocation: Invocation, config: Config): Promise<TokenAccess> {
  const { sockets, deadlineMs, queue } = config.hsm
  const answering = await Promise.all(sockets.map(isServed))
  if (!answering.includes(true)) return startOwnHost(invocation, config)
  const hsm = createHsmClient({
    sockets: sockets.filter((_, at) => answering[at] === true),
    keyMakerSocket: keyMakerSocketOf(config.hsm),
    keeper: keeperOf(config).operatorSocket,
    deadlineMs,
    queue,
  })
  return { hsm, ownHost: false, close: () => hsm.close() }
}

/** Reaches the token for `work`, and closes the access afterwards. */
export async function withTokenAccess<T>(
  invocation: Invocation,
  config: Config,
  work: (token: TokenAccess) => Promise<T>,
): Promise<T> {
  const token = await reachToken(invocation, config)
  try {
    return await work(token)
  } finally {
    await token.close()
  }
}

async function startOwnHost({ terminal, build }: Invocation, config: Config): Promise<TokenAccess> {
  terminal.remark('No token host answers; one is started for this command.')
  const { path: folder, discard } = await makeTemporaryFolder()
  const configFile = join(folder, 'strongroom.json')
  const keeper = {
    state: keeperOf(config).state,
    socket: join(folder, 'keeper'),
    operatorSocket: join(folder, 'operator'),
  }
  // Level `fatal`, because the host shares this command's standard output, and its journal would mix with the answer.
  writeFileSync(configFile, JSON.stringify({ ...config, hsm: { ...config.hsm, keeper }, log: { level: 'fatal' } }), {
    mode: 0o600,
  })
  const { deadlineMs, queue } = config.hsm
  const sockets = [join(folder, 'host')]
  const log = createLog({ level: 'fatal', name: 'strongroom' })
  const supervisor = createTokenSupervisor({
    configFile,
    sockets,
    keeper,
    deadlineMs,
    log,
    programs: join(build, 'bin'),
  })
  const statuses = await supervisor.start()
  const status = statuses.find(({ state }) => state !== 'ready')
  if (status !== undefined) {
    await supervisor.close()
    discard()
    throw new Fault(status.state === 'sealed' ? 'hsm.sealed' : 'hsm.unavailable', status.reason)
  }
  const hsm = createHsmClient({ sockets, keeper: keeper.operatorSocket, deadlineMs, queue })
  return {
    hsm,
    ownHost: true,
    async close() {
      await hsm.close()
      await supervisor.close()
      for (const file of [keeperOf(config).state, keeperOf(config).floors]) leaveDatabaseToOwner(file)
      discard()
    },
  }
}
