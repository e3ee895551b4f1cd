import { createSealedVaultKeys } from '../../src/features/transparent/sealed-vault-keys.ts'
import type { StoredKey, TransparentKey } from '../../src/features/transparent/records.ts'
import {
  invocationsRecord,
  policyRecord,
  sealedCount,
  sealedPolicy,
  sealedVersion,
  type UnsealedVersion,
  versionRecord,
} from '../../src/features/transparent/sealing.ts'
import type { Hsm, SealedRecord } from '../../src/hsm/hsm.ts'
import { importJobKind } from '../../src/hsm/import-limits.ts'
import type { GeneratedKey, GeneratedPair } from '../../src/hsm/made-key.ts'
import { importJobPurpose } from '../../src/hsm/provenance.ts'
import { composeRecord } from '../../src/hsm/record-layouts.ts'
import type { TestAppliance } from './appliance.ts'
import { grantIn } from './grant-kit.ts'
import { rawSeal } from './raw-seal.ts'
import { makeKey } from './stored-keys.ts'
import { makeVault, type TestVault } from './vault.ts'
import { workerHsm } from './worker-hsm.ts'

/** The authority that a worker shows: a grant, the keeper's proof that a rotation is due, or nothing. */
export type By = SealedRecord | undefined

export type KeyChange = (stored: StoredKey, by: By) => Promise<unknown>

/** Changes to keys of a vault, requested at the keeper's socket as an attacker in a worker could. */
export interface KeyChanges {
  readonly worker: Hsm
  readonly vault: TestVault
  givenKey(flags?: Readonly<Record<string, unknown>>): Promise<StoredKey>
  /** The key, sealed as if these changes had been committed. */
  after(key: TransparentKey, changes: Partial<TransparentKey>): TransparentKey
  policy(key: TransparentKey, to: Partial<TransparentKey>, by: By): Promise<Buffer>
  /** The key during a rotation: its policy counts one version more. Without an authority, an Admin rotates it. */
  withVersionMore(key: TransparentKey, by?: By): Promise<TransparentKey>
  version(stored: StoredKey, to: Partial<UnsealedVersion>, by: By): Promise<Buffer>
  /** Key material for a version, which the worker requested from a host. */
  madeFor(key: TransparentKey, flags?: { exportable: boolean; backup: boolean }): Promise<GeneratedKey>
  addVersion(key: TransparentKey, made: GeneratedKey, says: Partial<UnsealedVersion>, by: By): Promise<Buffer>
  create(like: TransparentKey, says: Partial<TransparentKey>, by: By): Promise<{ identity: Buffer; seal: Buffer }>
  /** Changes that need the right to use the key, to change it, and to end it, by name. */
  readonly uses: Readonly<Record<string, KeyChange>>
  readonly writes: Readonly<Record<string, KeyChange>>
  readonly takings: Readonly<Record<string, KeyChange>>
}

/** Those of `writes` that make up a rotation. */
export const rotation = ['a key with a version more', 'a new version', 'the first count of a version to come'] as const

export async function createKeyChanges(appliance: TestAppliance): Promise<KeyChanges> {
  const vault = await makeVault(appliance)
  const worker = workerHsm(appliance)
  const pair = await worker.generatePair(importJobKind, importJobPurpose)
  const changes: Omit<KeyChanges, 'uses' | 'writes' | 'takings'> = {
    worker,
    vault,

    givenKey: (flags) => makeKey(appliance, vault, flags),

    after(key, to) {
      const next = { ...key, ...to, generation: key.generation + 1 }
      return { ...next, seal: rawSeal(appliance.token, policyRecord(next)) }
    },

    policy: (key, to, by) =>
      worker.seal(policyRecord({ ...key, generation: key.generation + 1, ...to }), {
        previous: sealedPolicy(key),
        grant: by,
      }),

    async withVersionMore(key, by) {
      const next = { ...key, latestVersion: key.latestVersion + 1, generation: key.generation + 1 }
      const seal = await changes.policy(key, next, by ?? (await grantIn(appliance, vault.id)))
      return { ...next, seal }
    },

    version({ key, latest }, to, by) {
      const record = versionRecord(key, { ...latest, generation: latest.generation + 1, ...to })
      return worker.seal(record, { previous: sealedVersion(key, latest), grant: by })
    },

    madeFor: async (key, flags = { exportable: false, backup: false }) =>
      worker.generate('aes256-gcm', { ...flags, ...(await createSealedVaultKeys(appliance.store).purposeOf(key)) }),

    addVersion(key, made, says, by) {
      const record = versionRecord(key, newVersion(key, made, says))
      // Tries both requests that the keeper might accept.
      return worker
        .seal(record, { previous: sealedPolicy(key), provenance: made.provenance, grant: by })
        .catch(() => worker.seal(record, { provenance: made.provenance, grant: by }))
    },

    create: (like, says, by) =>
      worker.sealNew(
        policyRecord({ ...like, generation: 1, createdAt: Date.now(), ...says, identity: Buffer.alloc(0) }),
        { grant: by },
      ),
  }
  return { ...changes, ...changesByRight(changes, jobOf(pair)) }
}

/** The latest version of a key as it is before it is sealed, with this material. */
export function newVersion(
  { latestVersion }: Pick<TransparentKey, 'latestVersion'>,
  { kek, blob, backup }: GeneratedKey,
  says: Partial<UnsealedVersion> = {},
): UnsealedVersion {
  return {
    version: latestVersion,
    kek,
    blob,
    publicKey: null,
    backupKek: backup?.kek ?? null,
    backupBlob: backup?.blob ?? null,
    disabled: 0,
    createdAt: Date.now(),
    generation: 1,
    ...says,
  }
}

/** Import jobs with the pair. A vault always gets the same one, because a pair can serve in one record only. */
function jobOf({ kek, blob, publicKey, provenance }: GeneratedPair) {
  const flags = { allowExport: 1, allowPlaintextExport: 1, allowBackup: 0, allowDelete: 1, autoRotatePeriodMs: 0 }
  const [createdAt, expiresAt] = [Date.now(), Date.now() + 3_600_000]
  const says = { id: 'ab'.repeat(16), name: 'wanted', type: 'aes256-gcm96', kind: 'aes256-gcm', info: '' }
  return {
    provenance,
    recordIn: ({ vault, vaultId }: TransparentKey) =>
      composeRecord('import job', {
        ...says,
        ...flags,
        vaultId,
        vault,
        kek,
        blob,
        publicKey,
        createdAt,
        expiresAt,
      }),
  }
}

function changesByRight(
  on: Omit<KeyChanges, 'vault' | 'givenKey' | 'uses' | 'writes' | 'takings'>,
  job: ReturnType<typeof jobOf>,
): Pick<KeyChanges, 'uses' | 'writes' | 'takings'> {
  const { worker, after } = on
  const withTwo = (key: TransparentKey, more: Partial<TransparentKey> = {}) => after(key, { latestVersion: 2, ...more })
  const [secondPolicy, secondVersion, secondCount] = rotation
  const newest = { minDecryptionVersion: 2, minEncryptionVersion: 2 }
  return {
    uses: {
      'a count that is raised': ({ key, latest }, by) => {
        const raised = invocationsRecord(key, 1, latest.invocations + 65_536)
        return worker.seal(raised, { previous: sealedCount(key, latest), grant: by })
      },
    },
    writes: {
      'a version that is disabled': (stored, by) => on.version(stored, { disabled: 1 }, by),
      'a version without its backup': (stored, by) => on.version(stored, { backupKek: null, backupBlob: null }, by),
      'a key that may not be deleted any more': ({ key }, by) => on.policy(key, { allowDelete: 0 }, by),
      'a key without backup': ({ key }, by) => on.policy(key, { allowBackup: 0 }, by),
      'a key that says something else': ({ key }, by) => on.policy(key, { info: 'mine' }, by),
      'a key that is rotated by age': ({ key }, by) => on.policy(key, { autoRotatePeriodMs: 3_600_000 }, by),
      'a key whose old versions serve no more': ({ key }, by) => on.policy(withTwo(key), newest, by),
      [secondPolicy]: ({ key }, by) => on.policy(key, { latestVersion: 2 }, by),
      [secondVersion]: async ({ key }, by) =>
        on.addVersion(await on.withVersionMore(key), await on.madeFor(key), {}, by),
      [secondCount]: ({ key }, by) => worker.sealFirstCount(invocationsRecord(key, 2, 65_536), by),
      'a new key': ({ key }, by) => on.create(key, { name: 'mine' }, by),
      'an import job': ({ key }, by) => worker.seal(job.recordIn(key), { provenance: job.provenance, grant: by }),
    },
    takings: {
      'a key that is trimmed': ({ key }, by) => on.policy(withTwo(key, newest), { oldestVersion: 2 }, by),
      'a key that is deleted': ({ key }, by) => on.policy(key, { deletedAt: Date.now() }, by),
      'a key that is taken back': ({ key }, by) =>
        on.policy(after(key, { deletedAt: Date.now() }), { deletedAt: null }, by),
    },
  }
}

/** The names of the changes that the keeper made, each to a key of its own. A rule refused the others. */
export async function madeChanges(
  { givenKey }: Pick<KeyChanges, 'givenKey'>,
  changes: Readonly<Record<string, KeyChange>>,
  by: By,
): Promise<string[]> {
  const made: string[] = []
  for (const [name, change] of Object.entries(changes)) if (await isMade(change(await givenKey(), by))) made.push(name)
  return made
}

/** Whether the change was made. False for a refusal by a rule; throws any other error. */
export async function isMade(change: Promise<unknown>): Promise<boolean> {
  try {
    await change
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'hsm.rejected') return false
    throw error
  }
}
