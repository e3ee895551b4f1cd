import type { Granted } from '../../access/caller.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { Commit, Tx } from '../../store/store.ts'
import type { StoredKey, TransparentKey } from './records.ts'
import { sealedCount, sealedPolicy, sealedVersion, trusting } from './sealing.ts'

/** `Commit` for what the appliance does by itself to a key, with a record that says so. */
export type CommitForKey = <T>(operation: string, key: TransparentKey, work: (tx: Tx) => Promise<T>) => Promise<T>

/** By what a key is rotated that asks for it, and how it is committed. */
export interface AskedRotation {
  readonly by: Granted
  readonly commit: Commit
}

/**
 * The rotation that a key asks for, by the appliance: age and count are believed, like everything else of a row, only
 * under their seals, by which the keeper allows it.
 */
export async function askedRotation(
  hsm: Pick<Hsm, 'grantRotation'>,
  commitAsAppliance: CommitForKey,
  { key, latest }: StoredKey,
): Promise<AskedRotation> {
  const shown = [sealedPolicy(key), sealedVersion(key, latest), sealedCount(key, latest)] as const
  const rotation = await trusting(() => hsm.grantRotation(...shown))
  return {
    by: { grant: () => Promise.resolve(rotation) },
    commit: (work) => commitAsAppliance('transparent.key.autorotate', key, work),
  }
}
