import type { ChildProcess } from 'node:child_process'

/** How a child ended, for the journal. Where the daemon did not kill it, the kernel most likely did, for want of memory. */
export function endingOf({ killed }: Pick<ChildProcess, 'killed'>, code: number | null, signal: string | null): string {
  if (signal === 'SIGKILL' && !killed)
    return 'SIGKILL, not by the daemon: journalctl -k says whether the machine, or MemoryMax= of the unit, lacked memory'
  return signal ?? `exit code ${code}`
}
