import { Fault } from '../../fault.ts'
import { vaultKek } from '../key-kind.ts'
import { generationOf } from '../record-generation.ts'
import { composeRecord, identityBytes, type OpenedRecord } from '../record-layouts.ts'
import type { WritableFloors } from './floors.ts'
import type { KeeperState } from './keeper-state.ts'

/**
 * Rows from before there were seals get one once, as they are. Afterwards a row without a seal was inserted by an
 * attacker. A keeper may be new to its database: one of a machine that joined others, or whose files were lost. So it
 * begins the takeover only where rows without seals can be there: release 0.2.0 was the last to leave any, had no
 * keeper, and made a token that can be told from others.
 */
export interface Takeover {
  /** Begins the takeover, or goes on with it. @throws Fault `hsm.rejected` once it has ended, and where there is none */
  checkOpen(): void
  end(): void
}

export interface TakeoverDependencies {
  readonly state: KeeperState
  /** A keeper that has floors was in use under a release that seals all rows. */
  readonly floors: Pick<WritableFloors, 'isEmpty'>
  readonly isTokenOfRelease020: () => boolean
}

export function createTakeover({ state, floors, isTokenOfRelease020 }: TakeoverDependencies): Takeover {
  state.exec('CREATE TABLE IF NOT EXISTS takeover (ended INTEGER PRIMARY KEY) STRICT')
  // 0: it has begun; 1: it has ended.
  const list = state.prepare<[], number>('SELECT ended FROM takeover').pluck()
  const keep = state.prepare<[number]>('INSERT OR IGNORE INTO takeover (ended) VALUES (?)')
  return {
    checkOpen() {
      const known = list.all()
      const isOpen = known.length === 0 ? floors.isEmpty() && isTokenOfRelease020() : !known.includes(1)
      if (!isOpen)
        throw new Fault(
          'hsm.rejected',
          'The earlier rows were already taken over: a row that has no seal now was put into the database by other means than Strongroom.',
        )
      // The rows that are sealed now raise floors, and an interrupted takeover goes on.
      keep.run(0)
    },
    end: () => void keep.run(1),
  }
}

/**
 * Users and application keys of that release have no identity yet. Vaults have one, and memberships name both. Data keys
 * of vaults that it deleted are to be destroyed.
 */
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
    case 'unused key':
      if ('blob' in fields && fields.kek === vaultKek) return composeRecord(type, { ...fields })
      break
    default:
  }
  throw new Fault('hsm.rejected', 'There are no earlier rows of this kind.')
}
