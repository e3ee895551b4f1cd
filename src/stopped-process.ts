import { readFileSync } from 'node:fs'

const looks = 4

/**
 * Calls `stopped` if the kernel shows the process as stopped (SIGSTOP) at four checks in a row, at most `patienceMs`
 * after it was stopped. A process that waits for a CPU, a disk or its token counts as running or sleeping, so a slow
 * machine raises no alarm. While this process itself is stopped it makes no checks. Detects nothing if /proc hides the
 * process. Returns a function that ends the watch.
 */
export function watchForStop(pid: number | undefined, patienceMs: number, stopped: () => void): () => void {
  let seen = 0
  const timer = setInterval(() => {
    seen = pid !== undefined && isStopped(pid) ? seen + 1 : 0
    if (seen === looks) stopped()
  }, patienceMs / looks).unref()
  return () => clearInterval(timer)
}

/**
 * The state follows the command's name, which may contain spaces and brackets (proc_pid_stat(5)). A process stopped by
 * a debugger has the state `t`, which does not count.
 */
function isStopped(pid: number): boolean {
  try {
    return /\) T [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}
