import { createPublicKey } from 'node:crypto'
import { createInterface } from 'node:readline/promises'
import { Writable, type Readable } from 'node:stream'
import { styleText } from 'node:util'
import { ConfigError, maxFileBytes, readBytes, readSecret, textOf } from '../../config/loader.ts'
import { UsageError } from '../exit-code.ts'

/** The streams of one run of the console: those of the process, or a test's own. */
export interface Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: OutputStream
  readonly stderr: OutputStream
}

export interface OutputStream {
  readonly isTTY?: boolean
  readonly columns?: number
  hasColors?(): boolean
  /** False where the reader is slower; `drain` tells when there is room again. */
  write(text: string): unknown
  once?(event: 'drain', listener: () => void): unknown
}

/** What a command reads and shows beside its answer. */
export interface Terminal {
  /** Whether a person can be asked. */
  readonly isInteractive: boolean
  /** Columns to write in: the terminal's, within reason. */
  readonly width: number
  /** Writes lines to standard output. */
  print(text: string): void
  /** Writes lines to standard output as they come, as fast as they are read there. */
  printAll(lines: AsyncIterable<string>): Promise<void>
  /** Writes one line to standard error. */
  complain(text: string): void
  /** Writes one line to standard error, where a person looks. */
  remark(text: string): void
  /** Replaces the current line of standard error by this text, where a person looks. */
  overwrite(text: string): void
  coloured(colour: 'green' | 'yellow' | 'red', text: string): string
  /** Black on white, whatever colours the terminal has. */
  blackOnWhite(line: string): string
  /** Asks without showing what is typed; on standard error, so that the answer stays alone on standard output. */
  askSecret(question: string): Promise<string>
  /** Asks on standard error. */
  ask(question: string): Promise<string>
  standardInput(): Promise<string>
  /** The whole of a file that the command line names; `-` is standard input. Throws ConfigError. */
  readInput(file: string): Promise<Buffer>
}

export function createTerminal({ stdin, stdout, stderr }: Streams): Terminal {
  const isRead = stderr.isTTY === true
  return {
    isInteractive: stdin.isTTY === true,
    width: Math.min(Math.max(stdout.columns ?? 100, 60), 100),
    print: (text) => void stdout.write(`${text}\n`),
    async printAll(lines) {
      for await (const line of lines)
        if (stdout.write(`${line}\n`) === false) await new Promise<void>((resolve) => stdout.once?.('drain', resolve))
    },
    complain: (text) => void stderr.write(`${text}\n`),
    remark: (text) => void (isRead && stderr.write(`${text}\n`)),
    overwrite: (text) => void (isRead && stderr.write(`\r\u001B[K${text}`)),
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
    // Only now: what is typed before the terminal is silent would be shown.
    stderr.write(question)
    return await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve)
      // Ctrl-C and Ctrl-D.
      lines.once('close', () => reject(new UsageError('Nothing was entered.')))
    })
  } finally {
    lines.close()
    stderr.write('\n')
  }
}

async function readAll(stdin: Readable): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of stdin as AsyncIterable<Buffer>) {
    pieces.push(piece)
    size += piece.length
    if (size > maxFileBytes)
      throw new ConfigError(`standard input cannot be read: it has more than ${maxFileBytes} bytes`)
  }
  return Buffer.concat(pieces)
}

/** What to do where a file is not there that the command line names. */
export const nameAnother = 'name another file'

/** A new pass phrase: from a file, from standard input (`-`), or asked for twice. */
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

export function firstLine(text: string): string {
  return text.split(/\r?\n/, 1)[0] ?? ''
}

/** The public key in a PEM file, as SubjectPublicKeyInfo in DER. @throws UsageError where there is none */
export async function readPublicKeyFile(terminal: Terminal, file: string): Promise<Buffer> {
  try {
    return createPublicKey(await terminal.readInput(file)).export({ type: 'spki', format: 'der' })
  } catch (cause) {
    throw new UsageError(
      `${file} cannot be read as a public key in PEM: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    )
  }
}
