import { transactionGrant } from '../../access/transaction-grant.ts'
import type { Hsm, SealedRecord } from '../../hsm/hsm.ts'
import { afterCommit } from '../../store/commit-work.ts'
import type { Tx } from '../../store/store.ts'

/** The part of the token by which rows are sealed and shown. */
export type Sealer = Pick<Hsm, 'seal' | 'sealNew' | 'raise'>

/**
 * Seals a record in place of the row's present one, under the grant of the transaction's caller. The keeper learns of
 * the new record with the commit and refuses older ones from then on; it is not told earlier, because a rolled-back
 * change would then make the present row unusable. `person`: for a membership, the present record of its user; for a
 * service account, that of its owner.
 */
export async function sealChange(
  hsm: Sealer,
  tx: Tx,
  record: Buffer,
  shown: { readonly previous: SealedRecord | undefined; readonly person?: SealedRecord | undefined },
): Promise<Buffer> {
  const seal = await hsm.seal(record, { ...shown, grant: await transactionGrant(tx) })
  afterCommit(tx, () => hsm.raise([{ record, seal }]))
  return seal
}

/** The same for a new record, whose identity the keeper draws. */
export async function sealFirst(
  hsm: Sealer,
  tx: Tx,
  recordOf: (identity: Buffer) => Buffer,
  person?: SealedRecord,
): Promise<{ readonly identity: Buffer; readonly seal: Buffer }> {
  const drawn = await hsm.sealNew(recordOf(Buffer.alloc(0)), { grant: await transactionGrant(tx), person })
  afterCommit(tx, () => hsm.raise([{ record: recordOf(drawn.identity), seal: drawn.seal }]))
  return drawn
}
