import type { Granted } from '../../access/caller.ts'
import type { Clock } from '../../clock.ts'
import { Fault, isFault } from '../../fault.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { GeneratedKey } from '../../hsm/made-key.ts'
import { isRotationDue } from '../../hsm/rotation-due.ts'
import { nextGeneration } from '../../hsm/record-generation.ts'
import { createKeyedMutex } from '../../store/concurrency.ts'
import type { Commit, Store } from '../../store/store.ts'
import type { CallersGrant } from '../destruction/pending-destruction.ts'
import type { Invocations } from './invocations.ts'
import { existing, type KeyVersions, type MaterialPolicy } from './key-versions.ts'
import { findKey, findKeyById, insertVersion, replaceKey, type StoredKey, type TransparentKey } from './records.ts'
import { dueRotation, type CommitForKey } from './rotation-commit.ts'
import { checkPolicy, policyRecord, raiseAfter, sealedPolicy, mapBrokenSeal } from './sealing.ts'
import type { VersionLimits } from './version-limits.ts'

/** Rotation of keys; see `Keyring`. */
export interface KeyRotation {
  rotate(by: Granted, stored: StoredKey | undefined, commit: Commit): Promise<StoredKey>
  rotateIfDue(stored: StoredKey): Promise<StoredKey>
}

export interface KeyRotationDependencies {
  readonly store: Pick<Store, 'read'>
  readonly hsm: Pick<Hsm, 'seal' | 'grantRotation' | 'raise' | 'verify'>
  readonly versions: Pick<KeyVersions, 'seal'>
  readonly invocations: Pick<Invocations, 'adopt'>
  readonly clock: Clock
  readonly commitAsAppliance: CommitForKey
  readonly limits: VersionLimits
}

type WithMaterial = <T>(
  policy: MaterialPolicy,
  grant: CallersGrant,
  work: (made: GeneratedKey) => Promise<T>,
) => Promise<T>

/**
 * Under contention a rotation may lose to each of the others. Each loss means that another one has succeeded, so the
 * loop ends.
 */
const maxTries = 100

/**
 * The seals of a new version are made before its transaction, because a transaction that waited for the keeper would
 * block all other writers. The commit then requires that the key is unchanged. In this worker the rotations of one key
 * run one after another; where another worker was faster, the rotation starts again.
 */
export function createKeyRotation(on: KeyRotationDependencies, withMaterial: WithMaterial): KeyRotation {
  const { store, hsm, clock, commitAsAppliance } = on
  const keyMutex = createKeyedMutex()

  /** @param wanted whether the present key still needs the rotation */
  function rotate(
    by: Granted,
    authorized: TransparentKey,
    commit: Commit,
    wanted: (current: TransparentKey) => boolean | Promise<boolean>,
  ): Promise<StoredKey> {
    return keyMutex(authorized.id, async (hasWaited) => {
      let shown = hasWaited ? await currentKey(on, authorized) : authorized
      for (let tried = 1; ; tried++) {
        if (!(await wanted(shown))) throw new Fault('store.conflict')
        const from = shown
        try {
          return await withMaterial(from, by.grant, (made) => rotateFrom(on, by, from, made, commit))
        } catch (error) {
          const isLate = isFault(error, 'store.conflict') || isFault(error, 'hsm.outdated')
          if (!isLate || tried === maxTries) throw error
          shown = await currentKey(on, authorized)
          // Without another change in between, at the second try, the row itself is outdated. A conflict may be about the
          // number of a change that failed; the next try draws another number.
          if (tried > 1 && isFault(error, 'hsm.outdated') && shown.seal.equals(from.seal)) throw error
        }
      }
    })
  }

  return {
    async rotate(by, stored, commit) {
      return rotate(by, existing(stored).key, commit, async (current) => {
        await checkLimits(on, current)
        return true
      })
    },

    async rotateIfDue(stored) {
      const { key, latest } = stored
      const { autoRotatePeriodMs } = key
      const { createdAt, invocations } = latest
      if (!isRotationDue({ autoRotatePeriodMs, createdAt, invocations }, clock.now())) return stored
      try {
        const { commit, by } = await dueRotation(hsm, commitAsAppliance, stored)
        return await rotate(by, key, commit, ({ latestVersion }) => latestVersion === key.latestVersion)
      } catch (error) {
        // Another worker has rotated the key: use its version.
        const isLate = isFault(error, 'store.conflict') || isFault(error, 'hsm.outdated')
        const theirs = isLate ? await findKey(store.read, key.vaultId, key.name) : undefined
        if (theirs === undefined) throw error
        return existing(theirs)
      }
    },
  }
}

/** @throws Fault `key.versions`, `key.token_full`; `key.tampered` where the limit was reached by an edited row */
async function checkLimits({ hsm, limits }: KeyRotationDependencies, key: TransparentKey): Promise<void> {
  try {
    await limits.checkToken(key)
    limits.checkKey(key)
  } catch (error) {
    await checkPolicy(hsm, key)
    throw error
  }
}

/** @throws Fault `key.not_found`; `store.conflict` where a flag was turned off after the caller was authorized */
async function currentKey({ store }: KeyRotationDependencies, authorized: TransparentKey): Promise<TransparentKey> {
  const current = await findKeyById(store.read, authorized.id)
  if (current === null || current.deletedAt !== null) throw new Fault('key.not_found')
  const { allowExport, allowBackup } = current
  if (allowExport !== authorized.allowExport || allowBackup !== authorized.allowBackup)
    throw new Fault('store.conflict')
  return current
}

async function rotateFrom(
  { hsm, versions, invocations }: KeyRotationDependencies,
  by: Granted,
  shown: TransparentKey,
  made: GeneratedKey,
  commit: Commit,
): Promise<StoredKey> {
  const grant = await by.grant()
  const [latestVersion, generation] = [shown.latestVersion + 1, nextGeneration(shown.generation)]
  const next = Object.assign({}, shown, { latestVersion, generation })
  // The keeper verifies the seal that is shown, since a new seal over an edited row would legitimize the edit.
  const seal = await mapBrokenSeal(() => hsm.seal(policyRecord(next), { previous: sealedPolicy(shown), grant }))
  const key = Object.assign({}, next, { seal })
  const latest = { keyId: key.id, ...(await versions.seal(key, key.latestVersion, made, grant)) }
  await commit(async (tx) => {
    // Replaces the row only if it still is the one that was shown.
    if (!(await replaceKey(tx, shown, key))) throw new Fault('store.conflict')
    await insertVersion(tx, latest)
    raiseAfter(hsm, tx, sealedPolicy(key))
  })
  invocations.adopt(latest, 0)
  return { key, latest }
}
