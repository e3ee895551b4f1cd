import { writeSync } from 'node:fs'

const standardOutput = 1
/** What waits for a reader that is slow, or for room on the disk: a thousand lines. Beyond, lines are dropped. */
const mostBytes = 2 ** 18
const retryMs = 200
/** How long a process that ends waits for a reader that is slow. */
const lastTries = 25
const lastPauseMs = 10

/** Where the lines of a journal go. `write` never waits and never throws. */
export interface JournalOutput {
  write(line: string): void
}

/**
 * Standard output for a journal: lines are written at once, so that nothing is lost when the process exits, as long as
 * they can be. Where the disk below is full, or what reads the pipe stands still, they wait in bounded memory, are
 * dropped when that is full, and counted: calls are answered without a journal. `tell` is called with the number of
 * lines that were dropped, once there is room again.
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

  /** Writes what waits, as far as there is room. */
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

/** What could not be written of these bytes. */
function remainderOf(bytes: Buffer): Buffer {
  try {
    // oxlint-disable-next-line no-underscore-dangle -- Node has no other way to it
    standardStream._handle?.setBlocking?.(false)
    return bytes.subarray(writeSync(standardOutput, bytes))
  } catch {
    // EAGAIN, ENOSPC, EDQUOT, EIO, or EPIPE where the reader is gone: tried again.
    return bytes
  }
}

/**
 * Pipes and sockets are shared with the processes that this one starts, and libuv makes them block at each start
 * (uv__process_child_init), for all who write to them: so each write says again that it does not wait. Files and
 * terminals have nothing to be set.
 */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what Node has no types for
const standardStream = process.stdout as unknown as {
  readonly _handle?: { setBlocking?: (blocking: boolean) => void }
}

/** A disk that is full, or a reader that is gone, is no reason to end for what is written by other ways. */
function prepareStandardStreams(): void {
  for (const stream of [process.stdout, process.stderr])
    if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore)
}

const ignore = (): void => undefined

/** The line that says so, in every journal. */
export const droppedLines = (lines: number): readonly [{ readonly dropped: number }, string] => [
  { dropped: lines },
  'lines were dropped here, because the disk of the journal was full or what reads it stood still',
]
