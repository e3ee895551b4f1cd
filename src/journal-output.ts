import { writeSync } from 'node:fs'

const standardOutput = 1
/** Most bytes that wait for a slow reader or a full disk: about a thousand lines. Further lines are dropped. */
const mostBytes = 2 ** 18
const retryMs = 200
/** When the process exits, it tries this often, with this pause, to write the waiting lines to a slow reader. */
const lastTries = 25
const lastPauseMs = 10

/** The output of a journal. `write` never waits and never throws. */
export interface JournalOutput {
  write(line: string): void
}

/**
 * Writes journal lines to standard output immediately, so that no line is lost when the process exits. If the disk is
 * full or the reader of the pipe has stopped, lines wait in bounded memory. When that is full they are dropped and
 * counted, because calls must be answered even without a journal. `tell` gets the number of dropped lines once writing
 * succeeds again.
 */
export function createJournalOutput(tell: (dropped: number) => void): JournalOutput {
  prepareStandardStreams()
  const waiting: Buffer[] = []
  let bytes = 0
  let dropped = 0
  let timer: NodeJS.Timeout | undefined

  function flushAtExit(): void {
    for (let tries = 0; waiting.length > 0 && tries < lastTries; tries++) {
      if (tries > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lastPauseMs)
      flush()
    }
  }

  function wait(): void {
    if (timer !== undefined) return
    timer = setInterval(flush, retryMs).unref()
    process.once('exit', flushAtExit)
  }

  /** Writes the waiting lines, as far as the reader takes them. */
  function flush(): void {
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      const rest = remainderOf(first)
      bytes -= first.length - rest.length
      if (rest.length > 0) {
        waiting[0] = rest
        return
      }
      waiting.shift()
    }
    clearInterval(timer)
    timer = undefined
    process.off('exit', flushAtExit)
    const told = dropped
    dropped = 0
    if (told > 0) tell(told)
  }

  return {
    write(line) {
      const rest = timer === undefined ? remainderOf(Buffer.from(line)) : Buffer.from(line)
      if (rest.length === 0) return
      if (bytes + rest.length > mostBytes) {
        dropped += 1
        return
      }
      waiting.push(rest)
      bytes += rest.length
      wait()
    },
  }
}

/** Writes these bytes; returns those that could not be written. */
function remainderOf(bytes: Buffer): Buffer {
  try {
    // oxlint-disable-next-line no-underscore-dangle -- Node has no other way to it
    standardStream._handle?.setBlocking?.(false)
    return bytes.subarray(writeSync(standardOutput, bytes))
  } catch {
    // EAGAIN, ENOSPC, EDQUOT, EIO, or EPIPE if the reader is gone: try again later.
    return bytes
  }
}

/**
 * Child processes share pipes and sockets with this process. At each start of a child, libuv makes them blocking for
 * all writers (uv__process_child_init), so each write makes them non-blocking again. Files and terminals do not need
 * this.
 */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what Node has no types for
const standardStream = process.stdout as unknown as {
  readonly _handle?: { setBlocking?: (blocking: boolean) => void }
}

/** Keeps other writes to the standard streams from ending the process when the disk is full or the reader is gone. */
function prepareStandardStreams(): void {
  for (const stream of [process.stdout, process.stderr])
    if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore)
}

const ignore = (): void => undefined

/** The journal entry about dropped lines. */
export const droppedLines = (lines: number): readonly [{ readonly dropped: number }, string] => [
  { dropped: lines },
  'lines were dropped here, because the disk of the journal was full or what reads it stood still',
]
