import { operatorId } from '../../access/confirmation.ts'
import { Fault } from '../../fault.ts'
import type { OpenedRecord } from '../record-layouts.ts'
import type { KeeperState } from './keeper-state.ts'

/**
 * Which account has the id of a row. Ids say who made a user and who recovered one, and a worker chooses them: one that
 * was given to a new account a second time would stand for the account that has it.
 */
export interface AccountIds {
  /** @throws Fault `hsm.outdated` where the id is another account's, or the operator's */
  check(account: Account): void
  /** The same, and the id is this account's from then on. */
  note(account: Account): void
  /** Of a row that gets its identity only now: whatever was noted of the id, it is this account's. */
  take(account: Account): void
  /** The operator has accepted older records. */
  forget(): void
}

interface Account {
  readonly id: number
  readonly identity: Buffer
}

export function createAccountIds(state: KeeperState): AccountIds {
  state.exec('CREATE TABLE IF NOT EXISTS account_ids (id INTEGER PRIMARY KEY, identity BLOB NOT NULL) STRICT')
  const keep = state.prepare('INSERT OR REPLACE INTO account_ids (id, identity) VALUES (?, ?)')
  const find = state.prepare<[number], { readonly identity: Buffer }>('SELECT identity FROM account_ids WHERE id = ?')

  /** Whether the id is noted as this account's. */
  function isNoted({ id, identity }: Account): boolean {
    const holder = find.get(id)?.identity
    if (id === operatorId || holder?.equals(identity) === false)
      throw new Fault(
        'hsm.outdated',
        `The id ${id} is another account's: if the operator has restored a backup, strongroom database accept-restored; if not, suspect an attacker.`,
      )
    return holder !== undefined
  }

  return {
    check: (account) => void isNoted(account),
    note(account) {
      if (!isNoted(account)) keep.run(account.id, account.identity)
    },
    take: ({ id, identity }) => void keep.run(id, identity),
    forget: () => void state.exec('DELETE FROM account_ids'),
  }
}

/** Undefined for a record of something else. */
export const accountOf = ({ type, fields }: OpenedRecord): Account | undefined =>
  type === 'user' || type === 'service account' ? fields : undefined
