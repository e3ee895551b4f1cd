import { rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { errorCodeOf, Fault } from '../../fault.ts'
import { identityOf } from '../../file-identity.ts'

/** What SQLite says where a disk does not take what it writes (https://sqlite.org/rescode.html). */
const diskCodes = /^SQLITE_(?:IOERR|READONLY|CANTOPEN)/
/** The same for want of room; the latter two where the file is copied. */
const fullCodes = /^(?:SQLITE_FULL|ENOSPC|EDQUOT)/
/** More than the journals of SQLite have room for without growing. */
const probe = Buffer.alloc(65_536)

/** Whether the keeper's files can be written. Where they cannot, it decides nothing that it would have to remember. */
export interface FileHealth {
  /** @throws Fault `hsm.unavailable` where the work failed because the files cannot be written */
  guard<T>(work: () => T): T
  /**
   * Why the files cannot be written, or that what is written is not in its place; looked at anew at each call. Undefined
   * where all is well.
   */
  fault(): string | undefined
}

/**
 * `report`: told when the condition begins and when it is over. `fail`: told that the disk takes changes again after it
 * failed. What is open may be on a disk that is no longer mounted, so that only another process can write.
 */
export function createFileHealth(
  file: string,
  report: (sentence: string) => void,
  fail: (reason: Error) => void,
): FileHealth {
  let standing: string | undefined
  let opened: string | undefined

  /** The next keeper would open the file in place, and know nothing of what this one has noted meanwhile. */
  function elsewhere(): string | undefined {
    return identityAt(file) === opened ? undefined : anotherFile
  }

  return {
    guard(work) {
      try {
        const done = work()
        // The first work opens the files.
        opened ??= identityAt(file)
        return done
      } catch (error) {
        const code = errorCodeOf(error) ?? ''
        if (!diskCodes.test(code) && !fullCodes.test(code)) throw error
        const sentence = sentenceOf(code)
        if (standing === undefined) report(sentence)
        standing = sentence
        throw new Fault('hsm.unavailable', sentence, { cause: error })
      }
    },
    fault() {
      if (standing === undefined) return elsewhere()
      if (!isWritable(dirname(file))) return standing
      if (standing !== full) {
        fail(
          new Error('The keeper ends, and the next one opens the file in hsm.keeper.state: its disk can be written.'),
        )
        return standing
      }
      standing = undefined
      report('The file in hsm.keeper.state can be written again.')
      return standing
    },
  }
}

const full = 'The disk of the file in hsm.keeper.state is full: free some space on it.'

const anotherFile =
  'Another file than the one that is open lies at hsm.keeper.state, or none: stop the daemon, and put the newest one in its place.'

const sentenceOf = (code: string): string =>
  fullCodes.test(code)
    ? full
    : 'The file in hsm.keeper.state cannot be written: check its disk and its owner ("strongroom doctor").'

function identityAt(path: string): string | undefined {
  try {
    return identityOf(statSync(path))
  } catch {
    return undefined
  }
}

/** By a file of its own, since a small change of the database may fit where a larger one does not. */
function isWritable(folder: string): boolean {
  const path = join(folder, '.keeper-probe')
  try {
    try {
      writeFileSync(path, probe, { mode: 0o600 })
    } finally {
      rmSync(path, { force: true })
    }
    return true
  } catch {
    return false
  }
}
