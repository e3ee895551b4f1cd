import type { Command } from 'commander'
import { print, type Answer } from './output/answer.ts'

/** Options that every command has. */
export interface Globals {
  readonly config: string
  readonly json?: true
}

/** The action of a command: does its work, prints the answer and leaves the exit code. */
export function answering<A extends unknown[]>(work: (globals: Globals, ...args: A) => Promise<Answer>) {
  return async function (this: Command, ...args: A): Promise<void> {
    const globals = this.optsWithGlobals<Globals>()
    const answer = await work(globals, ...args)
    print(answer, globals.json === true)
    process.exitCode = answer.exitCode ?? 0
  }
}
