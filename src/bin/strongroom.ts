#!/usr/bin/env node
import { fileURLToPath } from 'node:url'
import { runConsole } from '../console/program.ts'
import { forbidCoreDumps } from '../daemon/core-dumps.ts'

/** `strongroom`: the operator's command. */
for (const [signal, exitCode] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.once(signal, () => process.exit(exitCode))
}
// A reader that closes the pipe early (`| head`) is not an error.
process.stdout.on('error', () => process.exit())

// Seeds and pass phrases pass through this process as well.
forbidCoreDumps(() => undefined)

process.exitCode = await runConsole(process.argv.slice(2), process, fileURLToPath(new URL('..', import.meta.url)))
