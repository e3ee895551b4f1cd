import type { Tx } from './store.ts'

const waiting = new WeakMap<Tx, (() => Promise<unknown>)[]>()

/**
 * Runs `work` once all changes of the transaction are made, before it is committed; if it fails, nothing is. Stores
 * that commit the changes of several callers together run all of their work in parallel.
 */
export function beforeCommit(tx: Tx, work: () => Promise<unknown>): void {
  const list = waiting.get(tx)
  if (list === undefined) waiting.set(tx, [work])
  else list.push(work)
}

/** Called by stores. Rejects with the first failure, once all have ended. */
export async function runBeforeCommit(...txs: readonly Tx[]): Promise<void> {
  const list = txs.flatMap((tx) => waiting.get(tx) ?? [])
  const failed = (await Promise.allSettled(list.map((work) => work()))).find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}
