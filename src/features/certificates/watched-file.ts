import { readFileSync, statSync } from 'node:fs'

/** What a file holds, read again when the file has changed. */
export interface WatchedFile<T> {
  readonly path: string
  /** What it holds now; when it cannot be read or understood any more, what it held before; undefined when it never could. */
  current(): T | undefined
}

/** Told once per change, in one sentence, of a file that cannot be used. */
export type ReportProblem = (sentence: string, cause?: unknown) => void

/** Looks at the file's times and size at each use, so a change counts from the next use on, in every process. */
export function watchFile<T>(path: string, parse: (content: Buffer) => T, report: ReportProblem): WatchedFile<T> {
  let seen: string | undefined
  let value: T | undefined
  return {
    path,
    current() {
      const stamp = stampOf(path)
      if (stamp === seen) return value
      seen = stamp
      try {
        value = parse(readFileSync(path))
      } catch (cause) {
        report(`${path} cannot be used${value === undefined ? '' : ', so what it held before stays in force'}.`, cause)
      }
      return value
    },
  }
}

function stampOf(path: string): string {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats === undefined ? 'missing' : [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ')
}
