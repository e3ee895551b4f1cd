import type { SealedGrant } from '../../access/transaction-grant.ts'
import type { Clock } from '../../clock.ts'
import { Fault, isFault } from '../../fault.ts'
import { resultOf } from '../../hsm/batch-outcomes.ts'
import type { Hsm, Outcome } from '../../hsm/hsm.ts'
import type { GeneratedKey } from '../../hsm/made-key.ts'
import { tokenObjectKek } from '../../hsm/key-kind.ts'
import { versionPurpose } from '../../hsm/provenance.ts'
import type { Store } from '../../store/store.ts'
import type { CallersGrant, Destruction } from '../destruction/pending-destruction.ts'
import { settled } from './batch.ts'
import type { Invocations } from './invocations.ts'
import type { SealedVaultKeys } from './sealed-vault-keys.ts'
import { keyTypeOf } from './key-type.ts'
import { findVersion, isMaterialInUse, type KeyVersion, type StoredKey, type TransparentKey } from './records.ts'
import {
  checkPolicy,
  deleted,
  invocationsRecord,
  mapBrokenSeal,
  type SealedKey,
  sealedPolicy,
  versionRecord,
} from './sealing.ts'

/** Set for a version that is restored, or used before it is stored. */
export interface VersionPast {
  readonly disabled: number
  /** Encryptions made before, in addition to the lease. */
  readonly invocations: number
  readonly createdAt: number
}

/** A version that is sealed but not yet stored. */
export type SealedVersion = Omit<KeyVersion, 'keyId'>

/** Creates, seals and finds the versions of keys. */
export interface KeyVersions {
  /**
   * Generates material for the next version of a key, as its flags require. An object in the token is made under the
   * caller's grant.
   * @throws Fault `hsm.unsupported`, which names the missing mechanism
   */
  make(key: SealedKey, grant: CallersGrant): Promise<GeneratedKey>
  /** Destroys material that was generated for this key and is not used, under the caller's grant. */
  discard(key: SealedKey, made: GeneratedKey, grant: CallersGrant): Promise<void>
  /** Seals a version under the caller's grant. Its count begins with one lease, which this worker holds. */
  seal(
    key: SealedKey,
    version: number,
    made: GeneratedKey,
    grant: SealedGrant | undefined,
    past?: Partial<VersionPast>,
  ): Promise<SealedVersion>
  /**
   * The version to use, if it is between `lowest` and the latest and not disabled.
   * @throws Fault `key.version_unknown`, `key.version_disabled`, `key.tampered`
   */
  find(stored: StoredKey, version: number, lowest: number, use: string): Promise<KeyVersion>
}

interface KeyVersionsDependencies {
  readonly store: Pick<Store, 'read'>
  readonly hsm: Pick<Hsm, 'generate' | 'permitObject' | 'createTokenObject' | 'seal' | 'sealFirstCount' | 'verify'>
  readonly invocations: Pick<Invocations, 'firstLease'>
  readonly vaultKeys: Pick<SealedVaultKeys, 'of' | 'purposeOf'>
  readonly destruction: Pick<Destruction, 'discard'>
  readonly clock: Clock
}

export function createKeyVersions(on: KeyVersionsDependencies): KeyVersions {
  const { store, hsm, invocations, vaultKeys, destruction, clock } = on
  return {
    async make(key, grant) {
      const { type, residency, allowExport, allowBackup, vaultId } = key
      const { kind } = keyTypeOf(type)
      const checkVault = (error: unknown) => notWithoutVault(error, () => vaultKeys.of(vaultId))
      if (residency === 'database') {
        const purpose = await vaultKeys.purposeOf(key)
        return hsm
          .generate(kind, { exportable: allowExport === 1, backup: allowBackup === 1, ...purpose })
          .catch(checkVault)
      }
      const by = await grant()
      const permit = await mapBrokenSeal(() => hsm.permitObject(sealedPolicy(key), by)).catch(checkVault)
      const { id, publicKey, provenance } = await hsm.createTokenObject(kind, permit)
      return { kek: tokenObjectKek, blob: Buffer.from(id, 'hex'), publicKey, backup: undefined, provenance }
    },

    async discard(key, { kek, blob, publicKey, provenance }, grant) {
      // Wrapped material that is not stored ceases to exist; an object in the token has to be destroyed.
      if (kek !== tokenObjectKek) return
      const { kind } = keyTypeOf(key.type)
      const unused = { kind, kek, blob, publicKey, purpose: versionPurpose(key), provenance }
      await destruction.discard(unused, (reader) => isMaterialInUse(reader, blob), grant)
    },

    async seal(key, version, made, grant, past = {}) {
      const { disabled = 0, invocations: spent = 0, createdAt = clock.now() } = past
      const unsealed = {
        version,
        kek: made.kek,
        blob: made.blob,
        publicKey: made.publicKey ?? null,
        backupKek: made.backup?.kek ?? null,
        backupBlob: made.backup?.blob ?? null,
        disabled,
        createdAt,
        generation: 1,
      }
      // In parallel, because the keeper is then woken once for both.
      const [count, seal] = await Promise.all([
        hsm.sealFirstCount(invocationsRecord(key, version, spent + invocations.firstLease), grant),
        hsm.seal(versionRecord(key, unsealed), { previous: sealedPolicy(key), provenance: made.provenance, grant }),
      ])
      return Object.assign(unsealed, { seal, invocations: count.invocations, invocationsSeal: count.seal })
    },

    async find({ key, latest }, version, lowest, use) {
      const from = Math.max(lowest, key.oldestVersion)
      // Written as a negation, because a limit that was edited into a text is read as NaN, and every comparison with
      // NaN is false.
      if (!(version >= from && version <= key.latestVersion)) {
        // A limit is believed only under its seal, like every other column of the row.
        await checkPolicy(hsm, key)
        const versions =
          from === key.latestVersion ? `version ${from} alone` : `versions ${from} to ${key.latestVersion}`
        throw new Fault('key.version_unknown', `The key ${use} with ${versions}.`)
      }
      const found = version === latest.version ? latest : await findVersion(store.read, key.id, version)
      if (found === null) {
        await checkPolicy(hsm, key)
        throw new Fault('key.tampered', undefined, {
          cause: new Error(`version ${version} of key ${key.id} is missing`),
        })
      }
      if (found.disabled !== 0)
        throw new Fault(
          'key.version_disabled',
          `Version ${version} of the key is disabled: use another one, or ask a member with Write to enable it.`,
        )
      return found
    },
  }
}

/** Throws `vault.not_found` instead where generation failed because the vault was deleted meanwhile. */
async function notWithoutVault(error: unknown, findVault: () => Promise<unknown>): Promise<never> {
  if (isFault(error, 'hsm.rejected') || isFault(error, 'hsm.outdated')) await findVault()
  throw error
}

/**
 * The lowest version to encrypt, sign or make HMACs with, so that the output can be decrypted or verified afterwards.
 */
export function writableFrom({ minEncryptionVersion, minDecryptionVersion }: TransparentKey): number {
  return Math.max(minEncryptionVersion, minDecryptionVersion)
}

/** The key, if it exists and is not deleted. @throws Fault `key.not_found` */
export function existing(stored: StoredKey | undefined): StoredKey {
  if (stored === undefined) throw new Fault('key.not_found')
  if (stored.key.deletedAt !== null) throw deleted()
  return stored
}

/**
 * Looks each version of a list up once, however many items name it. The returned function throws the fault of a version
 * that cannot be used.
 */
export async function perVersion<V>(
  versions: readonly V[],
  find: (version: V, count: number) => Promise<KeyVersion>,
): Promise<(version: V) => KeyVersion> {
  const counts = new Map<V, number>()
  for (const version of versions) counts.set(version, (counts.get(version) ?? 0) + 1)
  const found = new Map<V, Outcome<KeyVersion>>()
  for (const [version, count] of counts) found.set(version, await settled(() => find(version, count)))
  return (version) => resultOf(found.get(version))
}
