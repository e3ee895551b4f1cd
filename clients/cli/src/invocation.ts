import type { Command } from 'commander'
import { connect, type Connection } from './connection.ts'
import type { Terminal } from './terminal.ts'

/** One run of the program: the options of every command, and the terminal. */
export interface Invocation {
  readonly url?: string
  readonly json?: true
  readonly terminal: Terminal
  /** Sets the exit code of the command. */
  readonly finish: (exitCode: number) => void
}

/** The output of a command: `json` with --json, otherwise `text`. */
export interface Answer {
  readonly json: unknown
  readonly text: string | Uint8Array
}

/** Collects the values of a repeated option. */
export const several = (one: string, before: readonly string[] = []): string[] => [...before, one]

/** The action of a command: runs it and prints its answer. */
export function answering<A extends unknown[]>(
  work: (invocation: Invocation, ...args: A) => Promise<Answer | undefined>,
) {
  return async function (this: Command, ...args: A): Promise<void> {
    const invocation = this.optsWithGlobals<Invocation>()
    const answer = await work(invocation, ...args)
    if (answer === undefined) return
    const text = invocation.json === true ? `${JSON.stringify(answer.json, undefined, 2)}\n` : answer.text
    if (text.length > 0) await invocation.terminal.write(text)
  }
}

/** The same, connected with the session of the last login. */
export const connected = <A extends unknown[]>(
  work: (connection: Connection, invocation: Invocation, ...args: A) => Promise<Answer | undefined>,
) =>
  answering(async (invocation, ...args: A) => {
    const connection = connect(invocation.url, invocation.terminal)
    try {
      return await work(connection, invocation, ...args)
    } finally {
      connection.close()
    }
  })
