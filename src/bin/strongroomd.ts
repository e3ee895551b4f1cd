#!/usr/bin/env node
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Command, CommanderError } from 'commander'
import { systemClock } from '../clock.ts'
import { createCluster } from '../daemon/cluster.ts'
import type { Cluster } from '../daemon/cluster.ts'
import { readEnvironment } from '../config/environment.ts'
import { loadConfig } from '../config/loader.ts'
import type { Config } from '../config/schema.ts'
import { endingOf, exitCodes } from '../daemon/exit.ts'
import type { Ending } from '../daemon/exit.ts'
import { createHostSupervisor } from '../hsm/client/supervisor.ts'
import { createLog } from '../log.ts'
import type { Log } from '../log.ts'
import { forbidCoreDumps } from '../daemon/core-dumps.ts'
import { createNotify } from '../daemon/service-manager.ts'
import type { Notify } from '../daemon/service-manager.ts'

const workerEntry = fileURLToPath(new URL('./worker.js', import.meta.url))

const help = `
Exit codes:
  0  stopped as asked, or the configuration is in order (--check)
  1  an error inside the daemon
  2  the command line, the configuration or the certificate cannot be used
  3  the token cannot be used
  4  the database cannot be used
  5  the port cannot be listened on
  6  the audit trail cannot be written

Signals:
  SIGTERM, SIGINT  finish calls under way, then stop; a second one stops at once
  SIGHUP           read the server certificate again

Examples:
  strongroomd --config /etc/strongroom/strongroom.json --check
  strongroomd --config /etc/strongroom/strongroom.json`

const environment = readEnvironment()

async function main(): Promise<void> {
  const { config: file, check } = parseArguments()
  const config = loadConfig(file)
  if (check === true) end({ code: exitCodes.stopped, message: `${file} is in order` })
  const log = createLog({ level: config.log.level, name: 'strongroomd' })
  forbidCoreDumps((error) => log.warn({ err: error }, 'core dumps are not off: start the daemon after "ulimit -c 0"'))
  await serve(config, resolve(file), log)
}

function parseArguments(): { config: string; check?: true } {
  const command = new Command('strongroomd')
    .description('The Strongroom daemon: a secrets vault whose keys live in a hardware security module.')
    .requiredOption('--config <file>', 'configuration file (JSON; every option is described in config/README.md)')
    .option('--check', 'check the configuration file, and exit')
    .addHelpText('after', help)
    .exitOverride()
  try {
    return command.parse().opts()
  } catch (error) {
    // Commander has written what there is to say.
    if (error instanceof CommanderError)
      process.exit(error.exitCode === 0 ? exitCodes.stopped : exitCodes.configuration)
    throw error
  }
}

async function serve(config: Config, configFile: string, log: Log): Promise<void> {
  const notify = createNotify(environment.notify, log)
  const { sockets, deadlineMs } = config.hsm
  const hosts = config.hsm.spawn ? createHostSupervisor({ configFile, sockets, deadlineMs, log }) : undefined
  const cluster = createCluster({ config, workerEntry, clock: systemClock, log })
  const stop = async (ending: Ending): Promise<void> => {
    await notify('STOPPING=1')
    await cluster.stop()
    await hosts?.close()
    end(ending)
  }
  stopOnSignals(() => void stop({ code: exitCodes.stopped, message: 'stopped' }).catch(fail), log)
  try {
    const [{ port, workers }] = await Promise.all([
      cluster.start(),
      hosts === undefined ? undefined : openToken(hosts, log),
    ])
    log.info({ port, workers }, 'listening')
    await notify('READY=1', `STATUS=listening on port ${port} with ${workers} workers`)
    superviseReloads(cluster, notify)
    feedWatchdog(notify)
  } catch (error) {
    await stop(endingOf(error))
  }
}

/** A token that cannot be opened does not end the daemon: it answers 503, and the hosts try again where that is safe. */
async function openToken(hosts: ReturnType<typeof createHostSupervisor>, log: Log): Promise<void> {
  for (const { socket, state, reason } of await hosts.start()) {
    if (state !== 'ready')
      log.error({ socket, state, reason }, 'a token host is not ready: calls that need the token get 503')
  }
}

function stopOnSignals(stop: () => void, log: Log): void {
  let stopping = false
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.on(signal, () => {
      if (stopping)
        end({ code: exitCodes.internal, message: `a second ${signal}: stopped at once, calls under way are lost` })
      stopping = true
      log.info({ signal }, 'stopping')
      stop()
    })
  }
}

function superviseReloads(cluster: Cluster, notify: Notify): void {
  process.on('SIGHUP', () => {
    void notify('RELOADING=1')
    cluster.reload()
    void notify('READY=1')
  })
}

/** Twice as often as systemd asks for, as sd_watchdog_enabled(3) recommends. */
function feedWatchdog(notify: Notify): void {
  if (environment.watchdogMs !== undefined) setInterval(() => void notify('WATCHDOG=1'), environment.watchdogMs / 2)
}

/** The last words: to the journal in its own form, to a person in plain. */
function end({ code, message }: Ending): never {
  if (environment.journal)
    createLog({ level: 'info', name: 'strongroomd' })[code === 0 ? 'info' : 'fatal']({ exitCode: code }, message)
  else process.stderr.write(`strongroomd: ${message}\n`)
  process.exit(code)
}

const fail = (error: unknown): never => end(endingOf(error))

await main().catch(fail)
