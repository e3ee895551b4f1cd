import { execFileSync } from 'node:child_process'

/**
 * Leaves no core file of this process, nor of any that it starts from now on: secrets pass through them. Node cannot
 * set limits, so prlimit(1) does; `report` is called where it cannot.
 */
export function forbidCoreDumps(report: (error: unknown) => void): void {
  try {
    execFileSync('prlimit', [`--pid=${process.pid}`, '--core=0'], { stdio: 'pipe' })
  } catch (error) {
    report(error)
  }
}
