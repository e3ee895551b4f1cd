#!/usr/bin/env node
import { fileURLToPath } from 'node:url'
import { CommanderError } from 'commander'
import { createDaemonCommand, type DaemonArguments } from '../daemon/command-line.ts'
import { runDaemon } from '../daemon/primary.ts'
import { exitCodes } from '../daemon/exit.ts'

try {
  const { config: configFile, check = false, ...launched } = createDaemonCommand().parse().opts<DaemonArguments>()
  const workerEntry = fileURLToPath(new URL('./worker.js', import.meta.url))
  await runDaemon({ configFile, check, entry: fileURLToPath(import.meta.url), workerEntry, ...launched })
} catch (error) {
  // Commander has printed the message already.
  if (!(error instanceof CommanderError)) throw error
  process.exit(error.exitCode === 0 ? exitCodes.stopped : exitCodes.configuration)
}
