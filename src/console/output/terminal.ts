import { createPublicKey } from 'node:crypto'
import { createInterface } from 'node:readline/promises'
import { Writable, type Readable } from 'node:stream'
import { styleText } from 'node:util'
import { errorMessageOf } from '../../fault.ts'
import { readBounded } from '../../bounded-reading.ts'
import { ConfigError, maxFileBytes, readBytes, readSecret, textOf } from '../../config/loader.ts'
import { UsageError } from '../exit-code.ts'

/** The streams of one run of the console: those of the process or of a test. */
export interface Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: OutputStream
  readonly stderr: OutputStream
}

export interface OutputStream {
  readonly isTTY?: boolean
  readonly columns?: number
  hasColors?(): boolean
  /** False if the buffer is full; the event `drain` tells when writing can continue. */
  write(text: string): unknown
  once?(event: 'drain', listener: () => void): unknown
}

/** Input and output of a command. */
export interface Terminal {
  /** Whether a person can answer questions. */
  readonly isInteractive: boolean
  /** Columns for text: those of the terminal, at least 60 and at most 100. */
  readonly width: number
  /** Writes lines to standard output. */
  print(text: string): void
  /** Writes lines to standard output as they come, at the speed of the reader. */
  printAll(lines: AsyncIterable<string>): Promise<void>
  /** Writes one line to standard error. */
  complain(text: string): void
  /** Writes one line to standard error if that is a terminal. */
  remark(text: string): void
  /** Replaces the current line of standard error by this text, if that is a terminal. */
  overwrite(text: string): void
  coloured(colour: 'green' | 'yellow' | 'red', text: string): string
  /** Black on white, regardless of the terminal's colours. */
  blackOnWhite(line: string): string
  /** Asks on standard error without showing the input, so that standard output has only the answer. */
  askSecret(question: string): Promise<string>
  /** Asks on standard error. */
  ask(question: string): Promise<string>
  standardInput(): Promise<string>
  /** Reads a whole file that the command line names; `-` is standard input. @throws ConfigError */
  readInput(file: string): Promise<Buffer>
}

export function createTerminal({ stdin, stdout, stderr }: Streams): Terminal {
  const isRead = stderr.isTTY === true
  const told = (text: string): string => (isRead ? harmless(text) : text)
  const shown = (text: string): string => (stdout.isTTY === true ? harmless(text) : text)
  return {
    isInteractive: stdin.isTTY === true,
    width: Math.min(Math.max(stdout.columns ?? 100, 60), 100),
    print: (text) => void stdout.write(`${shown(text)}\n`),
    async printAll(lines) {
      for await (const line of lines)
        if (stdout.write(`${shown(line)}\n`) === false)
          await new Promise<void>((resolve) => stdout.once?.('drain', resolve))
    },
    complain: (text) => void stderr.write(`${told(text)}\n`),
    remark: (text) => void (isRead && stderr.write(`${told(text)}\n`)),
    overwrite: (text) => void (isRead && stderr.write(`\r\u001B[K${told(text)}`)),
    coloured: (colour, text) =>
      stdout.isTTY === true && stdout.hasColors?.() === true
        ? styleText(colour, text, { validateStream: false })
        : text,
    blackOnWhite: (line) => (stdout.isTTY === true ? `\u001B[30;107m${line}\u001B[0m` : line),
    askSecret: (question) => askLine({ stdin, stderr }, question, false),
    ask: (question) => askLine({ stdin, stderr }, question, true),
    standardInput: async () => textOf('standard input', await readAll(stdin)),
    readInput: async (file) => (file === '-' ? readAll(stdin) : readBytes(file, nameAnother)),
  }
}

/**
 * Replaces control characters by question marks, other than ends of lines and the colours that are written here. Names that
 * come from the database, which others may write to, could control the operator's terminal.
 */
const harmless = (text: string): string =>
  text.replaceAll(/\p{Cc}(?:\[[\d;]{1,6}m)?/gu, (found) =>
    ownColours.has(found) || /^[\n\t]/.test(found) ? found : `?${found.slice(1)}`,
  )

/** Red, green and yellow with their end, and black on white with its end. */
const ownColours: ReadonlySet<string> = new Set(['31', '32', '33', '39', '30;107', '0'].map((sgr) => `\u001B[${sgr}m`))

async function askLine(
  { stdin, stderr }: Pick<Streams, 'stdin' | 'stderr'>,
  question: string,
  isShown: boolean,
): Promise<string> {
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (isShown) stderr.write(String(chunk))
      done()
    },
  })
  const lines = createInterface({ input: stdin, output, terminal: true })
  try {
    // Ask only after the terminal stopped echoing: input before that would be shown.
    stderr.write(question)
    return await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve)
      // The user pressed Ctrl-C or Ctrl-D.
      lines.once('close', () => reject(new UsageError('Nothing was entered.')))
    })
  } finally {
    lines.close()
    stderr.write('\n')
  }
}

const readAll = (stdin: Readable): Promise<Buffer> =>
  readBounded(
    stdin,
    maxFileBytes,
    () => new ConfigError(`standard input cannot be read: it has more than ${maxFileBytes} bytes`),
  )

/** The remedy in errors about a missing file that the command line names. */
export const nameAnother = 'name another file'

/** A new pass phrase: from a file, from standard input (`-`), or typed twice. */
export async function newPassphrase(terminal: Terminal, file: string | undefined): Promise<string> {
  if (file === '-') return firstLine(await terminal.standardInput())
  if (file !== undefined) return readSecret(file, nameAnother)
  if (!terminal.isInteractive)
    throw new UsageError(
      'There is no terminal to ask for the pass phrase: give --passphrase-file FILE, or - for standard input.',
    )
  const passphrase = await terminal.askSecret('Pass phrase: ')
  if ((await terminal.askSecret('Pass phrase again: ')) !== passphrase)
    throw new UsageError('The two pass phrases differ: nothing was changed, try again.')
  return passphrase
}

/** Asks before keys are destroyed, which `--yes` does without. @throws UsageError unless the answer is yes */
export async function confirmDestruction(terminal: Terminal, question: string): Promise<void> {
  if (!terminal.isInteractive) throw new UsageError('There is no terminal to ask whether to destroy: give --yes.')
  const answer = await terminal.ask(`Destroy ${question} Type yes: `)
  if (answer.trim() !== 'yes') throw new UsageError('Nothing was destroyed.')
}

export function firstLine(text: string): string {
  return text.split(/\r?\n/, 1)[0] ?? ''
}

/** The public key in a PEM file, as DER SubjectPublicKeyInfo. @throws UsageError if there is none */
export async function readPublicKeyFile(terminal: Terminal, file: string): Promise<Buffer> {
  try {
    return createPublicKey(await terminal.readInput(file)).export({ type: 'spki', format: 'der' })
  } catch (cause) {
    throw new UsageError(`${file} cannot be read as a public key in PEM: ${errorMessageOf(cause)}`, { cause })
  }
}
