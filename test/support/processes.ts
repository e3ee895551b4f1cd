import { readdirSync, readFileSync } from 'node:fs'

/** Children of a process whose command holds the text. */
export function childrenOf(parent: number, command: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => parentOf(pid) === parent && read(pid, 'cmdline').includes(command))
    .map(Number)
}

// The state and the parent stand behind the command's name, which may hold blanks (proc_pid_stat(5)).
const parentOf = (pid: string): number => Number(/\) \S (\d+)/.exec(read(pid, 'stat'))?.[1] ?? 0)

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    return ''
  }
}
