import type { OnProgress } from '@strongroom/client/node'
import type { Terminal } from './terminal.ts'

/** Often enough for a person, and seldom enough for a log of the terminal. */
const everyMs = 100

/** Shows how far a file is, where a person looks; `total` 0 is not known. The line is cleared at its end. */
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

/** The pieces as they are, counted. */
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
