import type { EntityManager } from 'typeorm'

/** The manager of a transaction: all that is done through it is committed together or not at all. */
export type Tx = EntityManager

/**
 * The reading part of a manager: `Store.read` outside any transaction, its `Tx` within one. Functions that read on
 * behalf of others take a Reader and not a Store: a read on a second connection within a transaction exhausts the pool
 * (docs/decisions/0018).
 */
export type Reader = Pick<
  EntityManager,
  'connection' | 'query' | 'find' | 'findBy' | 'findOneBy' | 'findOneByOrFail' | 'existsBy' | 'countBy'
>

/**
 * Runs `work` in a transaction that commits only after the call's audit record is on the disk. Routes make all changes
 * through it.
 */
export type Commit = <T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions) => Promise<T>

export interface TransactionOptions {
  /**
   * Other calls do not wait for the disk: they see the change a moment before it is there. The promise resolves once it
   * is. Only for changes on which other calls base nothing that must not be lost: a change that they see may make them
   * refuse, but not promise.
   */
  readonly syncAside?: boolean
  /**
   * Runs before `work`, in parallel for all changes of one commit: their calls to the token share a trip, and none waits
   * for another's. In the database it may only reserve row numbers (`reserveRowNumber`). If it rejects, its change alone
   * fails. It may run again for the same change.
   */
  readonly beforehand?: (tx: Tx) => Promise<void>
}

export interface Store {
  readonly dialect: 'sqlite' | 'postgres'
  /** For reads outside any transaction; sees only committed rows. Rejects with `store.unavailable`. */
  readonly read: Reader
  /**
   * Runs a hand-written SELECT, prepared once. Placeholders are `$1`, `$2`, … for both databases. SQLite returns the
   * very same row objects until something is committed, so they must not be modified (`oncePerRow`). Rejects with
   * `store.unavailable`.
   */
  query<Row>(sql: string, parameters: readonly unknown[]): Promise<readonly Row[]>
  /**
   * Runs `work` in a transaction. Changes of several callers may be committed together, but each is undone alone where
   * its work fails (`beforeCommit`). PostgreSQL may undo one in favour of another (a deadlock): its work runs again.
   * Rejects with `store.unavailable` (busy, full, read-only, gone) unless the error is a Fault of `work` itself.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>
  /** Rejects where the database does not answer, or another file lies in the place of the one that SQLite has open. */
  probe(): Promise<void>
  close(): Promise<void>
}

/** Reads through a manager. `translated` gives the error to throw for an error of the driver. */
export function createReader(manager: EntityManager, translated: (error: unknown) => unknown): Reader {
  return new Proxy(manager, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return async (...given: unknown[]): Promise<unknown> => {
        try {
          return await Reflect.apply(member, target, given)
        } catch (cause) {
          throw translated(cause)
        }
      }
    },
  })
}
