import type { OnProgress } from '@strongroom/client/node'
import type { Terminal } from './terminal.ts'

/** Milliseconds between updates: enough for a person without filling a terminal log. */
const everyMs = 100

/** Shows the progress of a file on a terminal. `total` is 0 if unknown. The line is cleared at the end. */
export function createFileProgress(terminal: Pick<Terminal, 'overwrite'>, what: string): OnProgress & { end(): void } {
  let shownTick = 0
  const show = (done: number, total: number): void => {
    const tick = performance.now()
    if (tick - shownTick < everyMs) return
    shownTick = tick
    const part = total > 0 ? ` of ${mebibytes(total)} MiB, ${Math.floor((done / total) * 100)} %` : ' MiB'
    terminal.overwrite(`${what}: ${mebibytes(done)}${part}`)
  }
  return Object.assign(show, { end: () => terminal.overwrite('') })
}

const mebibytes = (bytes: number): string => (bytes / 1_048_576).toFixed(1)

/** Passes pieces on and reports their total length. */
export async function* counted(
  pieces: AsyncIterable<Uint8Array>,
  total: number,
  onProgress: OnProgress,
): AsyncGenerator<Uint8Array> {
  let done = 0
  for await (const piece of pieces) {
    done += piece.length
    onProgress(done, total)
    yield piece
  }
}
