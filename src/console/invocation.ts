import type { Command } from 'commander'
import type { Answer } from './output/command-answer.ts'
import type { Terminal } from './output/terminal.ts'

/** One run of the console: the options of every command, and the environment of the run. */
export interface Invocation {
  /** Configuration file of the appliance. */
  readonly config: string
  readonly json?: true
  readonly terminal: Terminal
  /** Folder of the compiled product, with the programs that a command starts. */
  readonly build: string
  /** Sets the exit code of the command. */
  readonly finish: (exitCode: number) => void
}

/** Parser of an option that may be given several times. */
export const several = (one: string, before: readonly string[] | undefined): string[] => [...(before ?? []), one]

/** Makes the action of a command: runs `work`, prints its answer and sets the exit code. */
export function answering<A extends unknown[]>(work: (invocation: Invocation, ...args: A) => Promise<Answer>) {
  return async function (this: Command, ...args: A): Promise<void> {
    const invocation = this.optsWithGlobals<Invocation>()
    const { json, lines, exitCode = 0 } = await work(invocation, ...args)
    const text = invocation.json === true ? JSON.stringify(json, undefined, 2) : lines.join('\n')
    if (text !== '') invocation.terminal.print(text)
    invocation.finish(exitCode)
  }
}
