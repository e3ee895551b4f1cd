#!/usr/bin/env node
import { CommanderError } from 'commander'
import { forbidCoreDumps } from '../daemon/core-dumps.ts'
import { exitCodeOf, sentenceOf } from '../console/exit-code.ts'
import { createProgram } from '../console/program.ts'

/** `strongroom`: the administrator's command. */
for (const [signal, exitCode] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.once(signal, () => process.exit(exitCode))
}
// A reader that has seen enough (`| head`) is no error.
process.stdout.on('error', () => process.exit())

// Seeds and pass phrases pass through here as well.
forbidCoreDumps(() => undefined)

try {
  await createProgram().parseAsync()
} catch (error) {
  process.exitCode = exitCodeOf(error)
  // Commander has written what there is to say.
  if (!(error instanceof CommanderError)) process.stderr.write(`strongroom: ${sentenceOf(error)}\n`)
}
