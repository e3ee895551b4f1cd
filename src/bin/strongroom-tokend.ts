#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { loadConfig, readSecret } from '../config/loader.ts'
import { createLog } from '../log.ts'
import { createToken } from '../hsm/pkcs11/token.ts'
import { createDispatch } from '../hsm/host/dispatch.ts'
import { createRequestQueue } from '../hsm/host/request-queue.ts'
import { listenOn } from '../hsm/host/socket-file.ts'
import { createTokenHost } from '../hsm/host/token-host.ts'
import { watchToken } from '../hsm/host/token-watch.ts'

/** `strongroom-tokend`: the process that holds the token and the PIN, and serves operations over a unix socket. */
const usage = `Usage: strongroom-tokend --config FILE (--socket PATH | --systemd) [--parent]

  --config FILE   configuration of the appliance
  --socket PATH   unix socket to serve, one of hsm.sockets
  --systemd       serve the socket that systemd passes (LISTEN_FDS=1)
  --parent        end with the process that started this one (its IPC channel)
`

/** Beside the bound on their number (hsm.queue), one on the memory that waiting requests take. */
const queueLimitBytes = 256 * 1024 * 1024
const firstPassedDescriptor = 3

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      config: { type: 'string' },
      socket: { type: 'string' },
      systemd: { type: 'boolean', default: false },
      parent: { type: 'boolean', default: false },
    },
  })
  if (values.config === undefined || (values.socket === undefined) === !values.systemd) throw new Error(usage)
  await serve(values.config, values.socket, values.parent)
}

async function serve(configFile: string, socket: string | undefined, hasParent: boolean): Promise<void> {
  const { hsm, log: logging } = loadConfig(configFile)
  const log = createLog({ name: 'strongroom-tokend', level: logging.level }).child({ socket })
  const token = createToken({
    module: hsm.module,
    uri: hsm.token,
    softhsmConf: hsm.softhsmConf,
    handles: hsm.handles,
    readPin: () => readSecret(hsm.pinFile),
  })
  const queue = createRequestQueue({ limit: hsm.queue, limitBytes: queueLimitBytes, deadlineMs: hsm.deadlineMs })
  const server = createTokenHost({ dispatch: createDispatch(token, hsm.tokenDirectory), queue, log })
  const connections = new Set<{ destroy(): void }>()
  server.on('connection', (connection) => {
    connections.add(connection)
    connection.once('close', () => connections.delete(connection))
  })

  // Before it listens, so that who reaches it hears the outcome of the first try.
  const watch = watchToken(token, log)
  const stop = () => {
    watch.close()
    server.close()
    for (const connection of connections) connection.destroy()
    token.close()
    process.removeAllListeners('disconnect')
    if (process.connected) process.disconnect()
  }
  process.once('SIGTERM', stop).once('SIGINT', stop)
  if (hasParent) process.once('disconnect', stop)
  if (socket === undefined) server.listen({ fd: firstPassedDescriptor })
  else await listenOn(server, socket)
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
  if (process.connected) process.disconnect()
})
