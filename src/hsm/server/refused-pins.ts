import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto'
import { dirname, join } from 'node:path'
import type Database from 'better-sqlite3'
import { errorCodeOf, Fault } from '../../fault.ts'
import type { PinnedToken } from '../pkcs11/user-pin.ts'
import { openPrivate } from './private-file.ts'

/** A PIN that a token refused. */
export interface Refusal {
  /** CKR_…, as a number. */
  readonly code: number
  /** When it was tried, in milliseconds since the Unix epoch. */
  readonly at: number
}

/** What is remembered of one token while this process alone may log in. */
export interface RefusalLedger {
  find(pin: string): Refusal | undefined
  add(pin: string, refusal: Refusal): void
  /** After a login: the token counts anew. */
  clear(): void
}

export interface RefusedPins {
  of(token: Pick<PinnedToken, 'label' | 'serial'>): RefusalLedger
  /** Of all tokens. */
  clear(): void
}

/** Beside the keeper's file, which outlasts a reboot: the folder of the sockets does not, nor may a host write there. */
export const refusedPinsBeside = (keeperState: string): string => join(dirname(keeperState), 'refused-pins.sqlite')

/** Longer than a login takes; shorter than a host that does not answer is let live. */
const patienceMs = 8_000

/**
 * Runs `work` while no other process of this machine logs in to a token: processes that start at once would each try a
 * wrong PIN. A process that dies lets the others in (SQLite's locks are the kernel's). Where the file cannot be written
 * no PIN is tried, because its refusal would be forgotten. Throws `hsm.unavailable`.
 */
export function withRefusedPins<T>(file: string, work: (refused: RefusedPins) => T): T {
  const database = open(file)
  try {
    return work({
      of: ({ label, serial }) => ledger(database, `${label} ${serial}`),
      clear: () => database.exec('DELETE FROM refused'),
    })
  } finally {
    // What was remembered has been committed one by one; this ends the lock.
    database.close()
  }
}

function open(file: string): Database.Database {
  try {
    // Held from the first statement until the file is closed, over several commits.
    const held = 'PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL; BEGIN EXCLUSIVE; COMMIT'
    const database = openPrivate(file, held, { timeout: patienceMs })
    database.exec(
      'CREATE TABLE IF NOT EXISTS refused (token TEXT NOT NULL, salt BLOB NOT NULL, hash BLOB NOT NULL, code INTEGER NOT NULL, at INTEGER NOT NULL)',
    )
    return database
  } catch (cause) {
    if (errorCodeOf(cause) === 'SQLITE_BUSY')
      throw new Fault('hsm.unavailable', 'Another process has been logging in to the token for seconds.', { cause })
    throw new Fault(
      'hsm.unavailable',
      `The PIN is not tried, because refused-pins.sqlite beside hsm.keeper.state cannot be written, in which a refused one is remembered: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    )
  }
}

interface Row extends Refusal {
  readonly salt: Buffer
  readonly hash: Buffer
}

function ledger(database: Database.Database, token: string): RefusalLedger {
  const rows = () =>
    database.prepare<[string], Row>('SELECT salt, hash, code, at FROM refused WHERE token = ?').all(token)
  return {
    find(pin) {
      const [first, ...others] = rows()
      if (first === undefined) return undefined
      // One salt for all that were refused since the last login: one hash to compute.
      const hash = hashOf(pin, first.salt)
      const found = [first, ...others].find((row) => timingSafeEqual(row.hash, hash))
      return found && { code: found.code, at: found.at }
    },
    add(pin, { code, at }) {
      const salt = rows()[0]?.salt ?? randomBytes(16)
      database
        .prepare('INSERT INTO refused (token, salt, hash, code, at) VALUES (?, ?, ?, ?, ?)')
        .run(token, salt, hashOf(pin, salt), code, at)
    },
    clear() {
      if (rows().length > 0) database.prepare('DELETE FROM refused WHERE token = ?').run(token)
    },
  }
}

/**
 * 64 MiB and some 0.2 s a guess: a reader of the file who wants to know which PIN was refused, one of 10^8 of eight
 * digits, computes for most of a year. It is computed while a PIN is refused, and at no good login.
 */
function hashOf(pin: string, salt: Buffer): Buffer {
  return scryptSync(pin, salt, 32, { N: 2 ** 16, r: 8, p: 1, maxmem: 65 * 1024 * 1024 })
}
