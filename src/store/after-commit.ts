import type { Tx } from './store.ts'

const waiting = new WeakMap<Tx, (() => Promise<unknown>)[]>()

/** Has `work` done once the transaction is committed, and before its caller goes on. */
export function afterCommit(tx: Tx, work: () => Promise<unknown>): void {
  const list = waiting.get(tx)
  if (list === undefined) waiting.set(tx, [work])
  else list.push(work)
}

/** Called by stores. What fails is left undone: the change is committed, whatever follows it. */
export async function runAfterCommit(tx: Tx): Promise<void> {
  const list = waiting.get(tx)
  if (list !== undefined) await Promise.allSettled(list.map((work) => work()))
}
