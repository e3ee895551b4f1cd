import type { Tx } from '../store/store.ts'

/** What a caller may do until it expires, under the keeper's seal. */
export interface SealedGrant {
  readonly record: Buffer
  readonly seal: Buffer
}

const grants = new WeakMap<Tx, () => Promise<SealedGrant>>()

/** The changes of the transaction are made for the caller who has this grant: the keeper seals them by it. */
export function actBy(tx: Tx, grant: () => Promise<SealedGrant>): void {
  grants.set(tx, grant)
}

/** Undefined where the appliance itself, or the operator, changes something. */
export async function grantOf(tx: Tx): Promise<SealedGrant | undefined> {
  return grants.get(tx)?.()
}
