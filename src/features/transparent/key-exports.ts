import type { Granted } from '../../access/caller.ts'
import { Fault } from '../../fault.ts'
import type { Hsm, KeyReference } from '../../hsm/hsm.ts'
import type { Store } from '../../store/store.ts'
import { existing, type KeyVersions } from './key-versions.ts'
import { retryOutdated } from './outdated-key.ts'
import { findVersions, type KeyVersion, type StoredKey, type TransparentKey } from './records.ts'
import type { SealedVaultKeys } from './sealed-vault-keys.ts'
import { checkPolicy, mapBrokenSeal, mapRejected } from './sealing.ts'
import { ofEachVersion } from './version-groups.ts'

export interface ExportRequest {
  /** Undefined for all versions that are neither trimmed nor disabled. */
  readonly version: number | undefined
  /** RSA public key (DER SubjectPublicKeyInfo) to wrap the material to; undefined for the material in plain. */
  readonly recipient: Buffer | undefined
}

interface ExportedVersion {
  readonly version: number
  /** Wrapped to the recipient (PKCS#11 v2.40 §2.1.21, RSA-OAEP ‖ AES-KWP), or the value in plain. */
  readonly material: Buffer
}

/**
 * Exports one version of a key, or all.
 * @throws Fault `key.not_found`, `key.export_forbidden`, `key.version_unknown`, `request.invalid`, `key.tampered`,
 * `hsm.*`, `store.*`
 */
export type ExportKey = (
  by: Granted,
  stored: StoredKey | undefined,
  request: ExportRequest,
) => Promise<{ key: TransparentKey; versions: ExportedVersion[] }>

interface KeyExportDependencies {
  readonly store: Pick<Store, 'read'>
  readonly hsm: Pick<Hsm, 'verify' | 'exportKey' | 'exportPlain'>
  readonly versions: Pick<KeyVersions, 'find'>
  readonly vaultKeys: SealedVaultKeys
}

export function createKeyExport({ store, hsm, versions, vaultKeys }: KeyExportDependencies): ExportKey {
  async function exported(reference: KeyReference, { version }: KeyVersion, recipient: Buffer | undefined) {
    const material = await mapBrokenSeal(() =>
      recipient
        ? mapRejected('request.invalid', () => hsm.exportKey(reference, recipient))
        : hsm.exportPlain(reference),
    )
    return { version, material }
  }

  return (by, stored, { version, recipient }) =>
    retryOutdated(store.read, stored, async (current) => {
      const found = existing(current)
      const { key } = found
      await checkPolicy(hsm, key)
      if (key.allowExport !== 1) throw new Fault('key.export_forbidden')
      if (recipient === undefined && key.allowPlaintextExport !== 1)
        throw new Fault(
          'key.export_forbidden',
          'This key leaves wrapped only, for want of allow_plaintext_export: send public_key, an RSA public key to wrap it to.',
        )
      const chosen =
        version === undefined
          ? (await findVersions(store.read, key.id, key.latestVersion)).filter(({ disabled }) => disabled === 0)
          : [await versions.find(found, version, key.oldestVersion, 'exports')]
      const referenceTo = await vaultKeys.referencesOf(key, await by.grant())
      return { key, versions: await ofEachVersion(chosen, (one) => exported(referenceTo(one), one, recipient)) }
    })
}
