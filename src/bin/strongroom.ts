#!/usr/bin/env node
import { fileURLToPath } from 'node:url'
import { exitCodes } from '../console/exit-code.ts'
import { runConsole } from '../console/program.ts'
import { forbidCoreDumps } from '../daemon/core-dumps.ts'

/** `strongroom`: the operator's command. */
for (const [signal, exitCode] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.once(signal, () => process.exit(exitCode))
}
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader that closes the pipe early (`| head`) is not an error; a full disk is.
  if (error.code === 'EPIPE') process.exit()
  process.stderr.write(
    `strongroom: Standard output cannot be written (${error.code ?? error.message}): its end is missing.\n`,
  )
  process.exit(exitCodes.refused)
})

// Seeds and pass phrases pass through this process as well.
forbidCoreDumps(() => undefined)

process.exitCode = await runConsole(process.argv.slice(2), process, fileURLToPath(new URL('..', import.meta.url)))
