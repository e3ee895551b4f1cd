#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { excludeMemory } from '../daemon/core-dumps.ts'
import { startKeeper } from '../hsm/keeper/keeper.ts'

/** `strongroom-keeper`: the process that decides and seals; one on a machine. */
const usage = `Usage: strongroom-keeper --config FILE [--systemd] [--parent]

  --config FILE   configuration of the appliance; hsm.keeper names the sockets
  --systemd       serve the two sockets that systemd passes, named worker and operator (FileDescriptorName=)
  --parent        end with the process that started this one (its IPC channel)
`

async function main(): Promise<void> {
  // Its limit is set by who starts it.
  excludeMemory((error) => process.stderr.write(`core dumps may hold memory: ${String(error)}\n`))
  const { values } = parseArgs({
    options: {
      config: { type: 'string' },
      systemd: { type: 'boolean', default: false },
      parent: { type: 'boolean', default: false },
    },
  })
  if (values.config === undefined) throw new Error(usage)
  const keeper = startKeeper(values.config, values)
  const stop = () => {
    keeper.close()
    process.removeAllListeners('disconnect')
    if (process.connected) process.disconnect()
  }
  process.once('SIGTERM', stop).once('SIGINT', stop)
  if (values.parent) process.once('disconnect', stop)
  try {
    await keeper.listening
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
