import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { errorCodeOf } from '../../src/fault.ts'

/** The command line of each child of a process, by its id; empty where the process is gone. */
export function commandsBelow(parent: number): ReadonlyMap<number, string> {
  const children = read(`${parent}/task/${parent}/children`).split(' ').filter(Boolean).map(Number)
  return new Map(children.map((pid) => [pid, read(`${pid}/cmdline`)]))
}

/** Ids of the children whose command line contains the text. */
export function childrenOf(parent: number, command: string): number[] {
  return [...commandsBelow(parent)].filter(([, one]) => one.includes(command)).map(([pid]) => pid)
}

/** Sends a signal to a process that may have ended since it was looked for, as one does whose parent is gone. */
export function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (errorCodeOf(error) !== 'ESRCH') throw error
  }
}

/** Sets the soft limit of a process so that it may open no more files. Those that it has stay open. */
export function mayOpenNoMore(pid: number): void {
  const open = new Set(readdirSync(`/proc/${pid}/fd`))
  const lowestFree = Array.from({ length: open.size + 1 }, (_, fd) => String(fd)).findIndex((fd) => !open.has(fd))
  execFileSync('prlimit', [`--pid=${pid}`, `--nofile=${lowestFree}:`])
}

/** Empty where the process is gone. */
function read(file: string): string {
  try {
    return readFileSync(`/proc/${file}`, 'latin1')
  } catch {
    return ''
  }
}
