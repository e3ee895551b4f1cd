import { createReadStream, createWriteStream, fstatSync, openSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { UsageError } from './exit-code.ts'
import { checkTarget, putInPlace, temporaryFor, unreadable, unwritable } from './private-file.ts'
import type { Terminal } from './terminal.ts'

/** Bytes that fit into one call with the appliance's default limits. */
export const callBytes = 1_000_000

export interface ByteSource {
  readonly bytes: AsyncIterable<Uint8Array>
  /** Length in bytes; 0 if unknown. */
  readonly size: number
}

/** Opens a file, or standard input for `-`. */
export function openSource(file: string, terminal: Pick<Terminal, 'stdin'>): ByteSource {
  if (file === '-') return { bytes: piecesOf(terminal.stdin, 'Standard input'), size: 0 }
  try {
    const handle = openSync(file, 'r')
    return { bytes: piecesOf(createReadStream(file, { fd: handle }), file), size: fstatSync(handle).size }
  } catch (error) {
    throw unreadable(file, error)
  }
}

async function* piecesOf(stream: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  try {
    yield* stream
  } catch (error) {
    throw unreadable(name, error)
  }
}

/** Bytes that are already in memory, as an iterable. */
export async function* onePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes)
}

export interface Sink {
  /** The file to write; standard output if absent. */
  readonly output?: string
  readonly force?: boolean
}

/** Refuses a file that may not be replaced before any work is done. @throws Refusal */
export function checkSink({ output, force = false }: Sink): void {
  if (output !== undefined) checkTarget(output, force)
}

/**
 * Writes to a file or to standard output. The file appears only when it is complete, and only its owner can read it.
 */
export async function writeStream(
  bytes: AsyncIterable<Uint8Array>,
  { output, force = false }: Sink,
  terminal: Terminal,
) {
  if (output === undefined) {
    for await (const piece of bytes) await terminal.write(piece, true)
    await terminal.write(new Uint8Array())
    return
  }
  const file = resolve(output)
  const temporary = temporaryFor(file)
  const remove = (): void => rmSync(temporary, { force: true })
  // A signal ends the program with process.exit, which skips `finally`.
  process.once('exit', remove)
  try {
    await pipeline(bytes, createWriteStream(temporary, { mode: 0o600, flags: 'wx' }))
    putInPlace(temporary, file, force)
  } catch (error) {
    remove()
    // An error of the source names the source.
    if (error instanceof Error && 'syscall' in error) throw unwritable(output, error)
    throw error
  } finally {
    process.off('exit', remove)
  }
}

/** Binary output could change the state of a terminal. @throws UsageError */
export function checkBinary({ output }: Sink, isTerminal: boolean): void {
  if (output === undefined && isTerminal) throw new UsageError('What comes out is not text: give --output FILE.')
}
