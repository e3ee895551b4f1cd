import { readFileSync } from 'node:fs'

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
