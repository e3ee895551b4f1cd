import { readFileSync, statSync } from 'node:fs'

/** The parsed content of a file, which is read again after each change. */
export interface ReloadedFile<T> {
  readonly path: string
  /** The newest content that could be parsed; undefined if none could be. */
  current(): T | undefined
}

/** Told one sentence for each change that makes a file unusable. */
export type ReportProblem = (sentence: string, cause?: unknown) => void

/** Compares the file's times and size at each use, so that a change takes effect at the next use, in every process. */
export function reloadOnChange<T>(path: string, parse: (content: Buffer) => T, report: ReportProblem): ReloadedFile<T> {
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
