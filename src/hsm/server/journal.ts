import { hostname } from 'node:os'
import { createJournalOutput, droppedLines } from '../../journal-output.ts'

/** The log of processes that hold the token: lines like those of `log.ts`, without its packages (decision 31). */
export type Journal = Readonly<Record<'debug' | 'info' | 'warn' | 'error', Write>>
type Write = (fields: Readonly<Record<string, unknown>>, message: string) => void

export interface JournalOptions {
  readonly name: string
  /** Lowest level that is written (`log.level`). */
  readonly level: string
}

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal']

/** Writes to standard output, immediately where possible: see `journal-output.ts`. */
export function createJournal({ name, level }: JournalOptions): Journal {
  const common = { pid: process.pid, hostname: hostname(), name }
  const lowest = levels.indexOf(level)
  const writer =
    (own: string): Write =>
    (fields, message) => {
      if (lowest === -1 || levels.indexOf(own) < lowest) return
      const line = { level: own, time: new Date().toISOString(), ...common, ...fields, msg: message }
      output.write(`${JSON.stringify(line, readable)}\n`)
    }
  const journal = { debug: writer('debug'), info: writer('info'), warn: writer('warn'), error: writer('error') }
  const output = createJournalOutput((lines) => journal.warn(...droppedLines(lines)))
  return journal
}

/** JSON does not show the properties of an Error, so they are copied. */
function readable(_name: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value
  const { name, message, stack, cause } = value
  return { type: name, message, stack, ...(cause === undefined ? {} : { cause }) }
}
