import { readFileSync } from 'node:fs'

const looks = 4

/**
 * Calls `stopped` when the kernel has shown the process as stopped (SIGSTOP) at four looks in a row, `patienceMs` after
 * it was stopped at the latest. One that waits for a processor, a disk or its token is shown as running or asleep,
 * however long: a machine that is slow raises no alarm, and while this process itself stands still it does not look.
 * Where /proc hides the process nothing is seen. Returns what ends the watch.
 */
export function watchForStop(pid: number | undefined, patienceMs: number, stopped: () => void): () => void {
  let seen = 0
  const timer = setInterval(() => {
    seen = pid !== undefined && isStopped(pid) ? seen + 1 : 0
    if (seen === looks) stopped()
  }, patienceMs / looks).unref()
  return () => clearInterval(timer)
}

/** The state behind the command's name, which may hold blanks and brackets (proc_pid_stat(5)); a debugger's is `t`. */
function isStopped(pid: number): boolean {
  try {
    return /\) T [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}
