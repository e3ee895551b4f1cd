import { readFileSync } from 'node:fs'
import { findingsOf, type Check, type Finding } from './findings.ts'

const topic = 'core dumps'
const { ok, problem } = findingsOf(topic)

/** Checks that a crash cannot expose the memory of a process. */
export const coreDumpsCheck: Check = {
  topic,
  run: () => [
    coreDumpsFinding(readFileSync('/proc/sys/kernel/core_pattern', 'utf8'), {
      limits: readFileSync('/proc/self/limits', 'utf8'),
      filter: readFileSync('/proc/self/coredump_filter', 'utf8'),
    }),
  ],
}

/**
 * Judges by this process, which has applied the same protections as all processes of Strongroom. If dumps are piped to
 * a program, a limit of 0 does not prevent them (core(5)).
 */
export function coreDumpsFinding(pattern: string, self: { readonly limits: string; readonly filter: string }): Finding {
  const limit = /^Max core file size +(\w+)/m.exec(self.limits)?.[1]
  const isEmpty = Number.parseInt(self.filter, 16) === 0
  const isPiped = pattern.startsWith('|')
  const handler = pattern.slice(1).split(' ')[0]?.trim()
  if (limit === '1' || isEmpty || (limit === '0' && !isPiped))
    return ok(isPiped ? `none is given to ${handler}` : 'none is written')
  return problem(
    isPiped
      ? `the kernel gives core dumps to ${handler} whatever their limit, and with them keys and PIN`
      : 'a crash would write the memory to a file, and with it keys and PIN',
    'Mount /proc writable and install prlimit (util-linux), or set kernel.core_pattern to a plain name and LimitCORE=1.',
  )
}
