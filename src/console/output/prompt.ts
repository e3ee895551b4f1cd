import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { readSecret, textOf } from '../../config/loader.ts'
import { UsageError } from '../exit-code.ts'

/** Asks on the terminal without showing what is typed; on standard error, so that the answer of the command stays alone on standard output. */
export async function askSecret(question: string): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true })
  try {
    // Only now: what is typed before the terminal is silent would be shown.
    process.stderr.write(question)
    return await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve)
      // Ctrl-C and Ctrl-D.
      lines.once('close', () => reject(new UsageError('Nothing was entered.')))
    })
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}

/** What to do where a file is not there that the command line names. */
export const nameAnother = 'name another file'

/** A new pass phrase: from a file, from standard input (`-`), or asked for twice. */
export async function newPassphrase(file: string | undefined): Promise<string> {
  if (file === '-') return firstLine(await standardInput())
  if (file !== undefined) return readSecret(file, nameAnother)
  if (!process.stdin.isTTY)
    throw new UsageError(
      'There is no terminal to ask for the pass phrase: give --passphrase-file FILE, or - for standard input.',
    )
  const passphrase = await askSecret('Pass phrase: ')
  if ((await askSecret('Pass phrase again: ')) !== passphrase)
    throw new UsageError('The two pass phrases differ: nothing was changed, try again.')
  return passphrase
}

export async function standardInput(): Promise<string> {
  return textOf('standard input', await buffer(process.stdin))
}

export function firstLine(text: string): string {
  return text.split(/\r?\n/, 1)[0] ?? ''
}
