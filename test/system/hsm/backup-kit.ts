import {
  decodeContent,
  encodeContent,
  readKeyBackup,
  restoredPolicy,
  writeKeyBackup,
  type KeyBackup,
  type BackupVersion,
} from '../../../src/hsm/key-backup-record.ts'
import type { Hsm, SealedRecord } from '../../../src/hsm/hsm.ts'
import { type KeyKind, kindOfType, kindsOfTypes } from '../../../src/hsm/key-kind.ts'
import { keyRecord } from '../../../src/hsm/key-record.ts'
import type { GeneratedKey, WrappedKey } from '../../../src/hsm/made-key.ts'
import { composeRecord } from '../../../src/hsm/record-layouts.ts'
import { rawBackupSeal, rawSeal } from '../../support/raw-seal.ts'
import type { TestToken } from '../../support/token.ts'
import { grantFor, identity, inside, outside, policyOf, vault, vaultKeyOf } from './hsm-kit.ts'

/** Makes backups of keys with one version and no feature, by records that the test seals. */
export interface BackupKit {
  backUp(kind: KeyKind, made: GeneratedKey, exportable: boolean): Promise<Buffer>
  /** Restores the key of a backup for a matching policy, without the outer wrapping by the data key of its vault. */
  restore(backup: Buffer): Promise<GeneratedKey>
  /** A backup with arbitrary content, sealed with the PIN. */
  forged(kind: KeyKind, backup: WrappedKey, says?: Partial<KeyBackup & BackupVersion>): Buffer
  /** The data key of the vault that keys are restored to. It is made at the first call. */
  vaultKey(): Promise<SealedRecord>
}

export function createBackupKit({ token, hsm }: { readonly token: TestToken; readonly hsm: Hsm }): BackupKit {
  let made: Promise<SealedRecord> | undefined
  const vaultKey = () => (made ??= vaultKeyOf(token, hsm))
  return {
    vaultKey,
    async backUp(kind, made, exportable) {
      const flags = { type: typeOf(kind), allowExport: Number(exportable), allowPlaintextExport: Number(exportable) }
      const placed = outside(token, await vaultKey(), made)
      const { publicKey = null, backup } = placed
      const materials = [flags.type, 1, publicKey, backup?.kek ?? null, backup?.blob ?? null]
      const version = keyRecord(kind, placed, ['transparent key version 2', identity, vault, ...materials, 0, 0, 1])
      const count = composeRecord('invocations 2', { identity, vault, version: 1, invocations: 1 })
      const sealed = (record: Buffer) => ({ record, seal: rawSeal(token, record) })
      return hsm.sealBackup({
        policy: policyOf(token, flags),
        vaultKey: await vaultKey(),
        grant: grantFor(token),
        versions: [{ key: sealed(version), count: sealed(count) }],
      })
    },

    async restore(backup) {
      const says = restoredPolicy(decodeContent(readKeyBackup(backup).content))
      const to = { policy: policyOf(token, says), vaultKey: await vaultKey() }
      const [key] = await hsm.restoreKey(backup, to, 0)
      if (key === undefined) throw new Error('nothing was restored')
      return inside(token, to.vaultKey, key)
    },

    forged(kind, backup, says = {}) {
      const flags = { allowExport: 0, allowPlaintextExport: 0, allowDelete: 1, autoRotatePeriodMs: 0 }
      const version = { version: 1, disabled: 0, createdAt: 0, invocations: 1, publicKey: null, ...backup, ...says }
      const limits = { minEncryptionVersion: 1, minDecryptionVersion: 1, versions: [version] }
      const head = { origin: undefined, type: typeOf(kind), info: '' }
      const content = encodeContent({ ...head, ...flags, ...limits, ...says })
      return writeKeyBackup({ content, seal: rawBackupSeal(token, content) })
    },
  }
}

function typeOf(kind: KeyKind): string {
  const type = Object.keys(kindsOfTypes).find((name) => kindOfType(name) === kind)
  if (type === undefined) throw new Error(`no type of ${kind}`)
  return type
}
