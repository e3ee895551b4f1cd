import { closeSync, openSync, readFileSync } from 'node:fs'
import { errorCodeOf } from './fault.ts'

/**
 * How many files this process may open, and each that it starts. Node.js raises the soft limit to the hard one when it
 * starts. Infinity where the kernel does not say.
 */
function mostOpenFiles(): number {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === undefined ? Infinity : Number(soft)
  } catch {
    return Infinity
  }
}

/**
 * The connections that each listener of a worker may hold. A worker has up to three listeners; the last quarter is for
 * its other files: a worker that may open no more cannot accept, and without them not work either.
 */
export const mostConnectionsPerListener = (): number => Math.floor(mostOpenFiles() / 4)

/** As many as a PKCS#11 module opens at a time. */
const fewFiles = 4

/** Whether the limit of open files of this process leaves it a few more. */
export function mayOpenMoreFiles(): boolean {
  const opened: number[] = []
  try {
    while (opened.length < fewFiles) opened.push(openSync('/dev/null', 'r'))
    return true
  } catch (error) {
    return errorCodeOf(error) !== 'EMFILE'
  } finally {
    for (const file of opened) closeSync(file)
  }
}

export const raiseOpenFiles = 'raise its limit (LimitNOFILE= of the unit, ulimit -n)'
