#!/usr/bin/env node
import { runProgram } from './program.ts'

for (const [signal, exitCode] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.once(signal, () => process.exit(exitCode))
}
// A reader that closes the pipe early (`| head`) is not an error.
process.stdout.on('error', () => process.exit())

process.exitCode = await runProgram(process.argv.slice(2), process)
