#!/usr/bin/env node
import { exitCodes } from './exit-code.ts'
import { runProgram } from './program.ts'

for (const [signal, exitCode] of [
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.once(signal, () => process.exit(exitCode))
}
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader that closes the pipe early (`| head`) is not an error; a full disk is.
  if (error.code === 'EPIPE') process.exit()
  process.stderr.write(
    `strongroom-cli: Standard output cannot be written (${error.code ?? error.message}): its end is missing.\n`,
  )
  process.exit(exitCodes.refused)
})

process.exitCode = await runProgram(process.argv.slice(2), process)
