import type { Tx } from '../store/store.ts'

/** The rights of a caller until it expires, sealed by the keeper. */
export interface SealedGrant {
  readonly record: Buffer
  readonly seal: Buffer
}

const grants = new WeakMap<Tx, () => Promise<SealedGrant>>()

/** Notes on whose behalf the transaction makes changes: the keeper seals them under this caller's grant. */
export function setTransactionGrant(tx: Tx, grant: () => Promise<SealedGrant>): void {
  grants.set(tx, grant)
}

/** The grant of that caller; undefined where the appliance itself, or the operator, makes the changes. */
export async function transactionGrant(tx: Tx): Promise<SealedGrant | undefined> {
  return grants.get(tx)?.()
}
