import type { Terminal } from './terminal.ts'

/** Called with the progress of a pass; clears its line at the end. */
export type Progress = (done: number, total: number) => void

/** Shows the progress of a pass and an estimate of the remaining time. */
export function createProgress(
  terminal: Pick<Terminal, 'overwrite'>,
  what: string,
  tick = () => performance.now(),
): Progress {
  const startedTick = tick()
  return (done, total) => {
    const leftMs = ((tick() - startedTick) / done) * (total - done)
    terminal.overwrite(done >= total ? '' : `${what}: ${done} of ${total}, some ${duration(leftMs)} left`)
  }
}

function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`
}
