import type { Granted } from '../../access/caller.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { Commit, Tx } from '../../store/store.ts'
import type { StoredKey, TransparentKey } from './records.ts'
import { sealedCount, sealedPolicy, sealedVersion, mapBrokenSeal } from './sealing.ts'

/** `Commit` for changes of a key by the appliance itself, with an audit record that says so. */
export type CommitForKey = <T>(operation: string, key: TransparentKey, work: (tx: Tx) => Promise<T>) => Promise<T>

/** The grant and the commit of a rotation that a key is due for. */
export interface DueRotation {
  readonly by: Granted
  readonly commit: Commit
}

/**
 * Prepares a rotation by the appliance. The keeper allows it by the sealed age and count of the version, not by a
 * caller's grant.
 */
export async function dueRotation(
  hsm: Pick<Hsm, 'grantRotation'>,
  commitAsAppliance: CommitForKey,
  { key, latest }: StoredKey,
): Promise<DueRotation> {
  const shown = [sealedPolicy(key), sealedVersion(key, latest), sealedCount(key, latest)] as const
  const rotation = await mapBrokenSeal(() => hsm.grantRotation(...shown))
  return {
    by: { grant: () => Promise.resolve(rotation) },
    commit: (work) => commitAsAppliance('transparent.key.autorotate', key, work),
  }
}
