import { readFileSync } from 'node:fs'

const looks = 4

/**
 * Calls `stopped` when the kernel reports the process as stopped (SIGSTOP) at four checks in a row, at most `patienceMs`
 * after it was stopped. A process that waits for a processor, a disk or its token is reported as running or sleeping, so
 * that a slow machine raises no alarm; while this process itself is stopped, it does not check. Where /proc hides the
 * process, nothing is detected. Returns a function that ends the watch.
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
 * The state follows the command's name, which may contain blanks and brackets (proc_pid_stat(5)). `t` is a debugger's
 * stop.
 */
function isStopped(pid: number): boolean {
  try {
    return /\) T [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}
