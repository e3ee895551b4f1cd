#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { excludeMemory } from '../daemon/core-dumps.ts'
import { startTokenHost } from '../hsm/host/token-host.ts'

/** `strongroom-tokend`: the process that holds the token and the PIN, and serves operations over a unix socket. */
const usage = `Usage: strongroom-tokend --config FILE (--socket PATH [--systemd] | --systemd) [--parent]

  --config FILE   configuration of the appliance
  --socket PATH   unix socket to serve: one of hsm.sockets, or hsm.keyMakerSocket to make RSA keys
  --systemd       systemd passes the socket (LISTEN_FDS=1)
  --parent        end with the process that started this one (its IPC channel)
`

async function main(): Promise<void> {
  // Its limit is set by who starts it.
  excludeMemory((error) => process.stderr.write(`core dumps may hold memory: ${String(error)}\n`))
  const { values } = parseArgs({
    options: {
      config: { type: 'string' },
      socket: { type: 'string' },
      systemd: { type: 'boolean', default: false },
      parent: { type: 'boolean', default: false },
    },
  })
  if (values.config === undefined || (values.socket === undefined && !values.systemd)) throw new Error(usage)
  const host = startTokenHost(values.config, values.socket, values.systemd)
  const stop = () => {
    host.close()
    process.removeAllListeners('disconnect')
    if (process.connected) process.disconnect()
  }
  process.once('SIGTERM', stop).once('SIGINT', stop)
  if (values.parent) process.once('disconnect', stop)
  try {
    await host.listening
  } catch (error) {
    stop()
    throw error
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
  if (process.connected) process.disconnect()
})
