import type { EntityManager } from 'typeorm'

/** A transaction's manager: what is done through it is committed together or not at all. */
export type Tx = EntityManager

/**
 * What a read goes through: `Store.read` outside any transaction, its `Tx` inside of one. Whatever reads for others
 * takes one, and no `Store`: a read on a second connection inside a transaction starves the pool (docs/decisions/0018).
 */
export type Reader = Pick<
  EntityManager,
  'connection' | 'query' | 'find' | 'findBy' | 'findOneBy' | 'findOneByOrFail' | 'existsBy' | 'countBy'
>

/**
 * Runs `work` in a transaction that commits only after the call's audit record is on the disk. The only way a route
 * changes anything that the caller asked to have changed.
 */
export type Commit = <T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions) => Promise<T>

export interface TransactionOptions {
  /**
   * The calls beside do not wait for the disk: what is committed is seen by others a moment before it is there. The
   * promise resolves when it is. Only for changes on which no other call builds anything that must not be lost: what
   * they see may make them refuse, but not promise.
   */
  readonly syncAside?: boolean
  /**
   * Done before the work, for all changes of one commit at the same time: calls to the token share their trips, and no
   * change waits for those of another. Of the database it takes the number of a new row (`reserveRowNumber`) and reads
   * nothing. Where it fails its change alone is not made; it may be done again for the same change.
   */
  readonly beforehand?: (tx: Tx) => Promise<void>
}

export interface Store {
  readonly dialect: 'sqlite' | 'postgres'
  /** For reads outside any transaction; never sees what is not committed. Rejects with `store.unavailable`. */
  readonly read: Reader
  /**
   * One hand-written SELECT, prepared once. Placeholders are `$1`, `$2`, … in either dialect. SQLite gives the very same
   * rows again until something is committed: they are not to be changed (`oncePerRow`).
   * Rejects with `store.unavailable`.
   */
  query<Row>(sql: string, parameters: readonly unknown[]): Promise<readonly Row[]>
  /**
   * Changes of several callers may be committed together, each undone alone where its work fails (`beforeCommit`).
   * Rejects with `store.unavailable` (busy, full, read-only, gone) unless the error is a Fault of `work` itself.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>
  close(): Promise<void>
}

/** Reads through a manager; what the driver says of a failure is translated to the fault to throw. */
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
