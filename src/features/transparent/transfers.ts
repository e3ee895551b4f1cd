import type { Clock } from '../../clock.ts'
import { Fault, isFault } from '../../fault.ts'
import type { GeneratedKey, Hsm } from '../../hsm/hsm.ts'
import type { Commit, Store, Tx } from '../../store/store.ts'
import { decodeContent, encodeContent, readBackup, writeBackup, type Backup, type BackupVersion } from './backup.ts'
import { KeyRows } from './key-rows.ts'
import { keyTypeOf } from './key-type.ts'
import { existing, type KeyVersions } from './key-versions.ts'
import type { Keyring } from './keyring.ts'
import type { NewKey } from './new-key.ts'
import {
  deleteKey,
  findKey,
  findVersions,
  insertKey,
  type KeyVersion,
  type StoredKey,
  type TransparentKey,
} from './records.ts'
import { checkPolicy, checkVersion, keyReference, policyRecord, trusting } from './sealing.ts'

export interface ExportedVersion {
  readonly version: number
  /** Wrapped to the recipient (PKCS#11 v2.40 §2.1.21, RSA-OAEP ‖ AES-KWP), or the value in plain. */
  readonly material: Buffer
}

export interface Restoration {
  readonly vaultId: number
  readonly name: string
  readonly stored: StoredKey | undefined
  readonly backup: Buffer
  /** Whether a key of that name is replaced. */
  readonly force: boolean
}

/** How keys leave and come in. Also throws `key.tampered`, `hsm.*`, `store.*`. */
export interface Transfers {
  /** All versions with flags, as text, restorable where the same backup keys are. @throws Fault `key.not_found`, `key.backup_forbidden` */
  backup(stored: StoredKey | undefined): Promise<{ key: TransparentKey; text: string }>
  /** All versions or none. @throws Fault `backup.invalid`, `key.exists`, `key.delete_forbidden` */
  restore(restoration: Restoration, commit: Commit): Promise<TransparentKey>
  /**
   * One version, or all that are not trimmed or disabled, wrapped to an RSA public key (DER SubjectPublicKeyInfo), or in plain.
   * @throws Fault `key.not_found`, `key.export_forbidden`, `key.version_unknown`, `request.invalid`
   */
  exportKey(
    stored: StoredKey | undefined,
    version: number | undefined,
    recipient: Buffer | undefined,
  ): Promise<{ key: TransparentKey; versions: ExportedVersion[] }>
  /** A key from outside as version 1. @throws Fault `import.invalid`, `key.exists` */
  importKey(key: NewKey, wrapped: Buffer, publicKey: Buffer | undefined, commit: Commit): Promise<TransparentKey>
  /** DER SubjectPublicKeyInfo: what keys to import are wrapped to. */
  wrappingKey(): Promise<Buffer>
}

export interface TransferDependencies {
  readonly store: Store
  readonly hsm: Pick<
    Hsm,
    | 'seal'
    | 'verify'
    | 'sealBackup'
    | 'verifyBackup'
    | 'rewrapBackup'
    | 'restoreKey'
    | 'destroyTokenObject'
    | 'exportKey'
    | 'exportPlain'
    | 'importKey'
    | 'transportPublicKey'
  >
  readonly keyring: Keyring
  readonly versions: KeyVersions
  readonly clock: Clock
}

export function createTransfers(dependencies: TransferDependencies): Transfers {
  return new TokenTransfers(dependencies)
}

class TokenTransfers implements Transfers {
  readonly #in: TransferDependencies

  constructor(dependencies: TransferDependencies) {
    this.#in = dependencies
  }

  async backup(stored: StoredKey | undefined) {
    const { key } = existing(stored)
    const { hsm, store } = this.#in
    await checkPolicy(hsm, key)
    if (key.allowBackup !== 1) throw new Fault('key.backup_forbidden')
    const versions = await Promise.all(
      (await findVersions(store.read, key.id)).map((version) => this.#backedUp(key, version)),
    )
    const content = encodeContent({ ...key, versions })
    return { key, text: writeBackup({ content, seal: await hsm.sealBackup(content) }) }
  }

  async restore({ vaultId, name, stored, backup, force }: Restoration, commit: Commit): Promise<TransparentKey> {
    if (stored && !force)
      throw new Fault('key.exists', `The vault has a key ${name} already: use another name, or force to replace it.`)
    const content = await this.#opened(backup)
    const made = await Promise.all(content.versions.map((version) => this.#restored(content, version)))
    let replaced: KeyVersion[] = []
    const key = await commit(async (tx) => {
      const present = await findKey(tx, vaultId, name)
      if (present && !force) throw new Fault('key.exists')
      if (present) replaced = await this.#giveWay(tx, present.key)
      return this.#insert(tx, { vaultId, name, content, made })
    })
    await new KeyRows(this.#in.hsm).destroyMaterial(replaced)
    return key
  }

  /** Deletes a key for good; its versions, so that what is in the token can follow. */
  async #giveWay(tx: Tx, key: TransparentKey): Promise<KeyVersion[]> {
    await checkPolicy(this.#in.hsm, key)
    if (key.allowDelete !== 1) throw new Fault('key.delete_forbidden')
    const versions = await findVersions(tx, key.id)
    if (!(await deleteKey(tx, key))) throw new Fault('store.conflict')
    return versions
  }

  async exportKey(stored: StoredKey | undefined, version: number | undefined, recipient: Buffer | undefined) {
    const found = existing(stored)
    const { key } = found
    const { hsm, store, versions } = this.#in
    await checkPolicy(hsm, key)
    if (key.allowExport !== 1) throw new Fault('key.export_forbidden')
    if (recipient === undefined && key.allowPlaintextExport !== 1)
      throw new Fault(
        'key.export_forbidden',
        'This key leaves wrapped only: send public_key, an RSA public key to wrap it to.',
      )
    const chosen =
      version === undefined
        ? (await findVersions(store.read, key.id)).filter(({ disabled }) => disabled === 0)
        : [await versions.find(found, version, key.oldestVersion, 'exports')]
    return { key, versions: await Promise.all(chosen.map((one) => this.#exported(key, one, recipient))) }
  }

  async importKey(
    key: NewKey,
    wrapped: Buffer,
    publicKey: Buffer | undefined,
    commit: Commit,
  ): Promise<TransparentKey> {
    const options = { exportable: key.allowExport, backup: key.allowBackup, ...(publicKey ? { publicKey } : {}) }
    const made = await refusing('import.invalid', () => this.#in.hsm.importKey(key.type.kind, wrapped, options))
    const { stored } = await this.#in.keyring.adopt(key, made, commit)
    return stored.key
  }

  wrappingKey(): Promise<Buffer> {
    return this.#in.hsm.transportPublicKey()
  }

  async #backedUp(key: TransparentKey, version: KeyVersion): Promise<BackupVersion> {
    const { hsm } = this.#in
    await checkVersion(hsm, key, version)
    if (version.backupKek === null || version.backupBlob === null) throw new Fault('key.backup_forbidden')
    const backup = { kek: version.backupKek, blob: version.backupBlob }
    return { ...version, ...(await hsm.rewrapBackup(keyTypeOf(key.type).kind, backup)) }
  }

  async #opened(bytes: Buffer): Promise<Backup> {
    const { content, seal } = readBackup(bytes)
    try {
      await this.#in.hsm.verifyBackup(content, seal)
    } catch (cause) {
      if (isFault(cause, 'hsm.seal_broken')) throw new Fault('backup.invalid', 'The backup was changed.')
      if (isFault(cause, 'hsm.rejected'))
        throw new Fault(
          'backup.invalid',
          'The backup comes from an appliance that does not share its backup keys with this one.',
        )
      throw cause
    }
    return decodeContent(content)
  }

  #restored({ type, allowExport }: Backup, { kek, blob, publicKey }: BackupVersion): Promise<GeneratedKey> {
    const options = { exportable: allowExport === 1, backup: true, ...(publicKey ? { publicKey } : {}) }
    return refusing('backup.invalid', () => this.#in.hsm.restoreKey(keyTypeOf(type).kind, { kek, blob }, options))
  }

  async #insert(
    tx: Tx,
    from: { vaultId: number; name: string; content: Backup; made: GeneratedKey[] },
  ): Promise<TransparentKey> {
    const { hsm, clock, versions } = this.#in
    const { versions: backedUp, ...flags } = from.content
    const numbers = backedUp.map(({ version }) => version)
    const row = {
      ...flags,
      vaultId: from.vaultId,
      name: from.name,
      residency: 'database',
      allowBackup: 1,
      oldestVersion: Math.min(...numbers),
      latestVersion: Math.max(...numbers),
      createdAt: clock.now(),
      deletedAt: null,
    }
    const key = await insertKey(tx, row, (unsealed) => hsm.seal(policyRecord(unsealed)))
    for (const [index, { version, ...past }] of backedUp.entries()) {
      const made = from.made[index]
      if (made) await versions.add(tx, key, version, made, past)
    }
    return key
  }

  async #exported(key: TransparentKey, version: KeyVersion, recipient: Buffer | undefined): Promise<ExportedVersion> {
    const { hsm } = this.#in
    const reference = keyReference(key, version)
    const material = await trusting(() =>
      recipient ? refusing('request.invalid', () => hsm.exportKey(reference, recipient)) : hsm.exportPlain(reference),
    )
    return { version: version.version, material }
  }
}

async function refusing<T>(
  code: 'backup.invalid' | 'import.invalid' | 'request.invalid',
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw isFault(error, 'hsm.rejected') ? new Fault(code, error.detail) : error
  }
}
