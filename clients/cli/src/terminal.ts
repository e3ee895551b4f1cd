import { createInterface } from 'node:readline/promises'
import { Writable, type Readable } from 'node:stream'
import { UsageError } from './exit-code.ts'

export interface Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number }
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number }
}

/** Input and output of a command. */
export interface Terminal {
  /** Whether a person can be asked. */
  readonly isInteractive: boolean
  /** Whether standard output is a terminal. */
  readonly isShown: boolean
  /**
   * Writes to standard output: unchanged, but for a terminal, which shows control characters and carries none of them
   * out. `continues`: the content is a piece, and another follows. Resolves when there is room for more.
   */
  write(content: string | Uint8Array, continues?: boolean): Promise<void>
  /** Writes a line to standard error, made printable. */
  complain(text: string): void
  /** The same, if standard error is a terminal. */
  remark(text: string): void
  /** Replaces the current line of standard error, if that is a terminal. */
  overwrite(text: string): void
  /** Asks on standard error. Without a terminal, takes the next line of standard input. */
  ask(question: string): Promise<string>
  /** The same, without showing what is typed. */
  askSecret(question: string): Promise<string>
  /**
   * The same, for a value that a person may paste. Resolves to undefined for several lines; none of them is left for
   * the shell to run.
   */
  askValue(question: string): Promise<string | undefined>
  /** Reads all of standard input. */
  input(): Promise<Buffer>
  readonly stdin: Readable
}

/** Milliseconds between the lines of a pasted text, which a remote terminal may deliver in pieces. */
const pasteMs = 200

export function createTerminal({ stdin, stdout, stderr }: Streams): Terminal {
  const isInteractive = stdin.isTTY === true
  const isShown = stdout.isTTY === true
  const isRead = stderr.isTTY === true
  const asShown = createPrintable()
  let lines: Promise<string[]> | undefined

  async function nextLine(question: string): Promise<string> {
    lines ??= readAll(stdin).then((bytes) => bytes.toString().split(/\r?\n/))
    const line = (await lines).shift()
    if (line === undefined || line === '') {
      const what = question.replace(/: $/, '')
      throw new UsageError(
        `${what} is missing: without a terminal, standard input holds a line for each question, in their order.`,
      )
    }
    return line
  }

  async function ask(question: string, isShown: boolean): Promise<string> {
    if (!isInteractive) return nextLine(question)
    const [line = ''] = await askLines({ stdin, stderr }, question, { isShown })
    return line
  }

  const complain = (text: string): void => void stderr.write(`${escaped(text, steeringLine)}\n`)

  return {
    isInteractive,
    isShown,
    stdin,
    write: (content, continues = false) =>
      new Promise((resolve, reject) =>
        stdout.write(isShown ? asShown(content, continues) : content, (error) => (error ? reject(error) : resolve())),
      ),
    complain,
    remark: (text) => void (isRead && complain(text)),
    overwrite: (text) => void (isRead && stderr.write(`\r\u001B[K${escaped(text, steeringLine)}`)),
    ask: (question) => ask(question, true),
    askSecret: (question) => ask(question, false),
    async askValue(question) {
      const [line, ...more] = await askLines({ stdin, stderr }, question, { isShown: false, quietMs: pasteMs })
      return more.length === 0 ? line : undefined
    },
    input: () => readAll(stdin),
  }
}

interface Asking {
  readonly isShown: boolean
  /** Milliseconds of silence after a line that end the input, because a terminal delivers pasted text line by line. */
  readonly quietMs?: number
}

/** Resolves to the typed line and the lines pasted with it. */
async function askLines(
  { stdin, stderr }: Pick<Streams, 'stdin' | 'stderr'>,
  question: string,
  { isShown, quietMs }: Asking,
): Promise<string[]> {
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (isShown) stderr.write(String(chunk))
      done()
    },
  })
  const lines = createInterface({ input: stdin, output, terminal: true })
  const entered: string[] = []
  try {
    // The question is written after the echo is off, because typed text would be visible before.
    stderr.write(question)
    await new Promise<void>((resolve, reject) => {
      lines.on('line', (line) => (entered.push(line), resolve()))
      // Ctrl-C or Ctrl-D.
      lines.once('close', () => reject(new UsageError('Nothing was entered.')))
    })
    if (quietMs !== undefined) await quiet(stdin, quietMs)
    return lines.line === '' ? entered : [...entered, lines.line]
  } finally {
    lines.close()
    stderr.write('\n')
  }
}

function quiet(stdin: Readable, quietMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      stdin.off('keypress', wait)
      resolve()
    }, quietMs)
    const wait = (): void => void timer.refresh()
    stdin.on('keypress', wait)
  })
}

async function readAll(stdin: Readable): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of stdin as AsyncIterable<Buffer>) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** What steers a terminal, or has it show a text in another order than it has (UAX #9), where a text is one line. */
const steeringLine = /[\p{Cc}\p{Bidi_Control}]/gu
/** The same where a text may have lines and tabs. */
const steeringText = /(?!\r?\n|\t)[\p{Cc}\p{Bidi_Control}]/gu

/** Writes these characters as `\u001b`, which is also what they are in JSON: they may come from other users. */
const escaped = (text: string, characters: RegExp): string =>
  text.replaceAll(characters, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Makes the pieces of one output printable. A character or a line end may be split between two of them. */
function createPrintable(): (content: string | Uint8Array, continues: boolean) => string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let held = ''
  return (content, continues) => {
    const text = held + (typeof content === 'string' ? content : decoder.decode(content, { stream: continues }))
    held = continues && text.endsWith('\r') ? '\r' : ''
    return escaped(text.slice(0, text.length - held.length), steeringText)
  }
}

const wide = /[\p{sc=Han}\p{sc=Hang}\p{Emoji_Presentation}\u3000-\u30FF\uFF01-\uFF60]/gu

/** Columns that a terminal needs: none for marks, two for East Asian letters and emoji. */
const columnsOf = (text: string): number =>
  text
    .replaceAll(/[\p{Mn}\p{Me}\p{Cf}]/gu, '')
    .replaceAll(wide, '--')
    .replaceAll(/[^]/gu, '-').length

/** Formats rows as aligned columns, a line each, which `write` leaves as they are. */
export function table(rows: readonly (readonly string[])[], { isShown }: Pick<Terminal, 'isShown'>): string {
  const shown = rows.map((row) => row.map((cell) => escaped(cell, isShown ? steeringLine : /\p{Cc}/gu)))
  const widths = (shown[0] ?? []).map((_, at) => Math.max(...shown.map((row) => columnsOf(row[at] ?? ''))))
  return shown
    .map(
      (row) =>
        `${row
          .map((cell, at) => cell + ' '.repeat((widths[at] ?? 0) - columnsOf(cell)))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}
