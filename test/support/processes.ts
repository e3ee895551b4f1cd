import { readFileSync } from 'node:fs'

/** The command of each child of a process, by its number; none where the process is gone. */
export function commandsBelow(parent: number): ReadonlyMap<number, string> {
  const children = read(`${parent}/task/${parent}/children`).split(' ').filter(Boolean).map(Number)
  return new Map(children.map((pid) => [pid, read(`${pid}/cmdline`)]))
}

/** Children of a process whose command holds the text. */
export function childrenOf(parent: number, command: string): number[] {
  return [...commandsBelow(parent)].filter(([, one]) => one.includes(command)).map(([pid]) => pid)
}

/** Empty where the process is gone. */
function read(file: string): string {
  try {
    return readFileSync(`/proc/${file}`, 'latin1')
  } catch {
    return ''
  }
}
