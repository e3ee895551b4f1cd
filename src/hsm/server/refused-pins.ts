import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto'
import { dirname, join } from 'node:path'
import type Database from 'better-sqlite3'
import { errorCodeOf, errorMessageOf, Fault } from '../../fault.ts'
import type { PinnedToken } from '../pkcs11/user-pin.ts'
import { openPrivate } from './private-file.ts'

/** A PIN that a token refused. */
export interface Refusal {
  /** Its CKR code. */
  readonly code: number
  /** Time of the refusal, in milliseconds since the Unix epoch. */
  readonly at: number
}

/** The refused PINs of one token, for use while only this process may log in. */
export interface RefusalLedger {
  find(pin: string): Refusal | undefined
  add(pin: string, refusal: Refusal): void
  /** Forgets all refusals, after a login, because the token then counts from zero. */
  clear(): void
}

export interface RefusedPins {
  of(token: Pick<PinnedToken, 'label' | 'serial'>): RefusalLedger
  /** Forgets the refusals of all tokens. */
  clear(): void
}

/**
 * Path of the file, beside the keeper's state, which survives a reboot. The folder of the sockets does not, and token
 * hosts may not write there.
 */
export const refusedPinsBeside = (keeperState: string): string => join(dirname(keeperState), 'refused-pins.sqlite')

/** Longer than a login takes, and shorter than the time after which a host without an answer is killed. */
const patienceMs = 8_000

/**
 * Runs `work` while no other process of this machine logs in to a token: otherwise processes that start at the same
 * time would each try a wrong PIN. The lock of a process that dies is released, since SQLite's locks are the kernel's.
 * No PIN is tried where the file cannot be written, because its refusal would be forgotten.
 * @throws Fault `hsm.unavailable`
 */
export function withRefusedPins<T>(file: string, work: (refused: RefusedPins) => T): T {
  const database = open(file)
  try {
    return work({
      of: ({ label, serial }) => ledger(database, `${label} ${serial}`),
      clear: () => database.exec('DELETE FROM refused'),
    })
  } finally {
    // Each refusal was committed on its own. Closing releases the lock.
    database.close()
  }
}

function open(file: string): Database.Database {
  try {
    // The lock is held from the first statement until the file is closed, over several commits.
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
      `The PIN is not tried, because refused-pins.sqlite beside hsm.keeper.state cannot be written, in which a refused one is remembered: ${errorMessageOf(cause)}`,
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
      // All refusals since the last login have one salt, so that one hash is computed.
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
 * Hash of a PIN: scrypt with 64 MiB and some 0.2 s. A reader of the file who searches for a refused PIN of eight
 * digits, one of 10^8, computes for most of a year. It is computed only while refused PINs are remembered.
 */
function hashOf(pin: string, salt: Buffer): Buffer {
  return scryptSync(pin, salt, 32, { N: 2 ** 16, r: 8, p: 1, maxmem: 65 * 1024 * 1024 })
}
