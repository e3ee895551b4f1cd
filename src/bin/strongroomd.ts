#!/usr/bin/env node
import { fileURLToPath } from 'node:url'
import { Command, CommanderError, Option } from 'commander'
import { runDaemon } from '../daemon/primary.ts'
import { exitCodeHelp, exitCodes } from '../daemon/exit.ts'
import { daemonParts, type DaemonPart } from '../daemon/launcher.ts'

const help = `
${exitCodeHelp}

Signals:
  SIGTERM, SIGINT  finish calls under way, then stop; a second one stops at once
  SIGHUP           read the server certificate again

Examples:
  strongroomd --config /etc/strongroom/strongroom.json --check
  strongroomd --config /etc/strongroom/strongroom.json`

interface Arguments {
  readonly config: string
  readonly check?: true
  readonly part?: DaemonPart
  readonly socketGroup?: number
}

const command = new Command('strongroomd')
  .description('The Strongroom daemon: a secrets vault whose keys live in a hardware security module.')
  .requiredOption('--config <file>', 'configuration file (JSON; every option is described in config/README.md)')
  .option('--check', 'check the configuration file, and exit')
  // Of the processes that the launcher starts.
  .addOption(new Option('--part <part>').choices(daemonParts).hideHelp())
  .addOption(new Option('--socket-group <gid>').argParser(Number).hideHelp())
  .addHelpText('after', help)
  .exitOverride()

try {
  const { config: configFile, check = false, ...launched } = command.parse().opts<Arguments>()
  const workerEntry = fileURLToPath(new URL('./worker.js', import.meta.url))
  await runDaemon({ configFile, check, entry: fileURLToPath(import.meta.url), workerEntry, ...launched })
} catch (error) {
  // Commander has written what there is to say.
  if (!(error instanceof CommanderError)) throw error
  process.exit(error.exitCode === 0 ? exitCodes.stopped : exitCodes.configuration)
}
