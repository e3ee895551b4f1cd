import type { Granted } from '../../access/caller.ts'
import type { SealedGrant } from '../../access/transaction-grant.ts'
import type { Clock } from '../../clock.ts'
import { Fault, isFault } from '../../fault.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { GeneratedKey } from '../../hsm/made-key.ts'
import { isRotationDue } from '../../hsm/rotation-due.ts'
import { nextGeneration } from '../../hsm/record-generation.ts'
import { createKeyedMutex } from '../../store/concurrency.ts'
import type { Commit, Store, Tx } from '../../store/store.ts'
import type { CallersGrant } from '../destruction/pending-destruction.ts'
import type { Invocations } from './invocations.ts'
import { existing, type KeyVersions } from './key-versions.ts'
import { findKey, findKeyById, insertVersion, replaceKey, type StoredKey, type TransparentKey } from './records.ts'
import { dueRotation, type CommitForKey } from './rotation-commit.ts'
import {
  checkPolicy,
  policyRecord,
  presentKey,
  raiseAfter,
  type SealedKey,
  sealedPolicy,
  mapBrokenSeal,
} from './sealing.ts'
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
  readonly invocations: Pick<Invocations, 'holdFirstLease'>
  readonly clock: Clock
  readonly commitAsAppliance: CommitForKey
  readonly limits: VersionLimits
}

type WithMaterial = <T>(key: SealedKey, grant: CallersGrant, work: (made: GeneratedKey) => Promise<T>) => Promise<T>

const maxTries = 100

/**
 * The seals of a new version are made before its transaction, because a transaction that waited for the keeper would
 * block all other writers. The commit then requires that the key is unchanged. In this worker the rotations of one key
 * run one after another; where another change was faster, the rotation starts again, and locks the key first.
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
          return await withMaterial(from, by.grant, (made) => {
            const rotation = { by, shown: from, made, commit }
            if (tried === 1) return rotateFrom(on, rotation)
            return rotateLocked(on, rotation, async (current) => {
              checkUnlimited(authorized, current)
              if (!(await wanted(current))) throw new Fault('store.conflict')
            })
          })
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
        // Another worker has rotated the key, or is about to: use the present version.
        const isLate =
          isFault(error, 'store.conflict') || isFault(error, 'hsm.outdated') || isFault(error, 'request.quota')
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
  checkUnlimited(authorized, current)
  return current
}

function checkUnlimited(authorized: TransparentKey, { allowExport, allowBackup }: TransparentKey): void {
  if (allowExport !== authorized.allowExport || allowBackup !== authorized.allowBackup)
    throw new Fault('store.conflict')
}

interface Rotation {
  readonly by: Granted
  /** The row of the key as it was read. */
  readonly shown: TransparentKey
  /** The material of the next version. */
  readonly made: GeneratedKey
  readonly commit: Commit
}

async function rotateFrom(on: KeyRotationDependencies, { by, shown, made, commit }: Rotation): Promise<StoredKey> {
  const rotated = await sealRotation(on, await by.grant(), shown, made)
  await commit((tx) => put(on, tx, shown, rotated))
  on.invocations.holdFirstLease(rotated.latest, 0)
  return rotated
}

/** The same from the present row, which steady changes would replace again and again. `check` decides by that row. */
async function rotateLocked(
  on: KeyRotationDependencies,
  { by, shown, made, commit }: Rotation,
  check: (current: TransparentKey) => Promise<void>,
): Promise<StoredKey> {
  const grant = await by.grant()
  const rotated = await commit(async (tx) => {
    const current = await presentKey(on.hsm, tx, shown)
    await check(current)
    const next = await sealRotation(on, grant, current, made)
    await put(on, tx, current, next)
    return next
  })
  on.invocations.holdFirstLease(rotated.latest, 0)
  return rotated
}

async function sealRotation(
  { hsm, versions }: KeyRotationDependencies,
  grant: SealedGrant | undefined,
  shown: TransparentKey,
  made: GeneratedKey,
): Promise<StoredKey> {
  const [latestVersion, generation] = [shown.latestVersion + 1, nextGeneration(shown.generation)]
  const next = Object.assign({}, shown, { latestVersion, generation })
  // The keeper verifies the seal that is shown, since a new seal over an edited row would legitimize the edit.
  const seal = await mapBrokenSeal(() => hsm.seal(policyRecord(next), { previous: sealedPolicy(shown), grant }))
  const key = Object.assign({}, next, { seal })
  return { key, latest: { keyId: key.id, ...(await versions.seal(key, key.latestVersion, made, grant)) } }
}

/** Replaces the row only if it still is the one that was shown. */
async function put(
  { hsm }: KeyRotationDependencies,
  tx: Tx,
  shown: TransparentKey,
  { key, latest }: StoredKey,
): Promise<void> {
  if (!(await replaceKey(tx, shown, key))) throw new Fault('store.conflict')
  await insertVersion(tx, latest)
  raiseAfter(hsm, tx, sealedPolicy(key))
}
