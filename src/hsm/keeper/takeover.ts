import { Fault } from '../../fault.ts'
import { generationOf } from '../record-generation.ts'
import { composeRecord, identityBytes, type OpenedRecord } from '../record-layouts.ts'
import type { KeeperState } from './keeper-state.ts'

/**
 * Rows from before there were seals get one once, as they are. Afterwards a row without a seal was inserted by an
 * attacker.
 */
export interface Takeover {
  /** @throws Fault `hsm.rejected` once the takeover has ended */
  checkOpen(): void
  end(): void
}

export function createTakeover(state: KeeperState): Takeover {
  state.exec('CREATE TABLE IF NOT EXISTS takeover (ended INTEGER PRIMARY KEY) STRICT')
  const find = state.prepare('SELECT 1 FROM takeover')
  const keep = state.prepare('INSERT OR IGNORE INTO takeover (ended) VALUES (1)')
  return {
    checkOpen() {
      if (find.get() !== undefined)
        throw new Fault(
          'hsm.rejected',
          'The earlier rows were already taken over: a row that has no seal now was put into the database by other means than Strongroom.',
        )
    },
    end: () => void keep.run(),
  }
}

/** Users and application keys of that release have no identity yet. Vaults have one, and memberships name both. */
export function earlierRecord(record: OpenedRecord, drawIdentity: () => Buffer): Buffer {
  const { type, fields } = record
  const isFirst = (generationOf(record)?.number ?? 1) === 1
  switch (isFirst ? type : undefined) {
    case 'user':
    case 'application key':
      if ('identity' in fields && fields.identity.length === 0)
        return composeRecord(type, { ...fields, identity: drawIdentity() })
      break
    case 'vault':
      if ('identity' in fields && fields.identity.length === identityBytes) return composeRecord(type, { ...fields })
      break
    case 'membership':
      return composeRecord(type, { ...fields })
    default:
  }
  throw new Fault('hsm.rejected', 'There are no earlier rows of this kind.')
}
