import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'

/**
 * Leaves no core dump of this process, nor of any that it starts from now on: secrets pass through them. Node cannot
 * set limits, so prlimit(1) does; `report` is called where it cannot.
 *
 * The limit is one byte, not 0: too little for a file, and the one value with which the kernel starts no handler either
 * where kernel.core_pattern names one (core(5): for a pipe the limit is not enforced; fs/coredump.c: "RLIMIT_CORE is set
 * to 1, aborting core"). Where the hard limit is 0 already, it stays.
 */
export function forbidCoreDumps(report: (error: unknown) => void): void {
  excludeMemory(report)
  try {
    limitCore(1)
  } catch {
    try {
      limitCore(0)
    } catch (error) {
      report(error)
    }
  }
}

/**
 * Excludes all memory mappings of this process, and of those that it starts, from core dumps (core(5),
 * coredump_filter).
 */
export function excludeMemory(report: (error: unknown) => void): void {
  try {
    writeFileSync('/proc/self/coredump_filter', '0')
  } catch (error) {
    report(error)
  }
}

function limitCore(bytes: number): void {
  execFileSync('prlimit', [`--pid=${process.pid}`, `--core=${bytes}`], { stdio: 'pipe' })
}
