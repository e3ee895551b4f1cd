#!/usr/bin/env node
import { fileURLToPath } from 'node:url'
import { Command, CommanderError } from 'commander'
import { runDaemon } from '../daemon/primary.ts'
import { exitCodeHelp, exitCodes } from '../daemon/exit.ts'

const help = `
${exitCodeHelp}

Signals:
  SIGTERM, SIGINT  finish calls under way, then stop; a second one stops at once
  SIGHUP           read the server certificate again

Examples:
  strongroomd --config /etc/strongroom/strongroom.json --check
  strongroomd --config /etc/strongroom/strongroom.json`

const command = new Command('strongroomd')
  .description('The Strongroom daemon: a secrets vault whose keys live in a hardware security module.')
  .requiredOption('--config <file>', 'configuration file (JSON; every option is described in config/README.md)')
  .option('--check', 'check the configuration file, and exit')
  .addHelpText('after', help)
  .exitOverride()

try {
  const { config: configFile, check = false } = command.parse().opts<{ config: string; check?: true }>()
  await runDaemon({ configFile, check, workerEntry: fileURLToPath(new URL('./worker.js', import.meta.url)) })
} catch (error) {
  // Commander has written what there is to say.
  if (!(error instanceof CommanderError)) throw error
  process.exit(error.exitCode === 0 ? exitCodes.stopped : exitCodes.configuration)
}
