import type { Tx } from './store.ts'

const waiting = new WeakMap<Tx, (() => Promise<unknown>)[]>()

/**
 * Has `work` done once all changes of the transaction are made, and before it is committed; where it fails nothing is.
 * Stores that commit the changes of several callers at once do it for all of them at the same time.
 */
export function beforeCommit(tx: Tx, work: () => Promise<unknown>): void {
  const list = waiting.get(tx)
  if (list === undefined) waiting.set(tx, [work])
  else list.push(work)
}

/** Called by stores. Rejects as the first of them that fails, when all have ended. */
export async function runBeforeCommit(...txs: readonly Tx[]): Promise<void> {
  const list = txs.flatMap((tx) => waiting.get(tx) ?? [])
  const failed = (await Promise.allSettled(list.map((work) => work()))).find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}
