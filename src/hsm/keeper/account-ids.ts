import { operatorId } from '../../access/confirmation.ts'
import { outdated } from '../record-generation.ts'
import type { OpenedRecord } from '../record-layouts.ts'
import type { KeeperState } from './keeper-state.ts'

/**
 * Which account each row id belongs to. Ids say who created and who recovered a user, and workers choose them: an id
 * that was given to a second account would confer the rights of the first.
 */
export interface AccountIds {
  /** @throws Fault `hsm.outdated` where the id belongs to another account, or to the operator */
  check(account: Account): void
  /** Checks the id and remembers that it belongs to this account. */
  note(account: Account): void
  /** For a row that is given its identity now: the id belongs to this account, whatever was remembered before. */
  take(account: Account): void
  /** Forgets all ids: the operator has accepted older records. */
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

  /** Whether the id is remembered as this account's. */
  function isNoted({ id, identity }: Account): boolean {
    const holder = find.get(id)?.identity
    if (id === operatorId || holder?.equals(identity) === false) throw outdated(`The id ${id} is another account's`)
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

/** Undefined for records of other types. */
export const accountOf = ({ type, fields }: OpenedRecord): Account | undefined =>
  type === 'user' || type === 'service account' ? fields : undefined
