import { hash } from 'node:crypto'
import { Fault } from '../../fault.ts'
import { encodeContent, writeKeyBackup, type BackupVersion } from '../key-backup-record.ts'
import type { KeyReference, KeyToBackUp, SealedRecord } from '../hsm.ts'
import { kindOfType, type KeyKind } from '../key-kind.ts'
import type { FieldsOf, OpenedRecord } from '../record-layouts.ts'
import type { Connection } from './connection.ts'
import { currentBackup } from './key-restoring.ts'
import { hmacSha256 } from './mechanisms.ts'
import { removeOuterWrapping } from './outer-wrapping.ts'
import { openSealed } from './seal-check.ts'
import { sealBytes } from './seal-versions.ts'
import { auditPublicKey } from './seal-operations.ts'
import type { Token } from './token-link.ts'

/** See `Hsm.sealBackup`. All content of the backup comes from sealed records that are verified here. */
export function sealBackup(token: Token, { grant, policy, vaultKey, versions }: KeyToBackUp): Buffer {
  const appliance = hash('sha256', auditPublicKey(token))
  return token.run((connection) => {
    const fields = openPolicy(connection, policy)
    const kind = kindOfType(fields.type)
    if (kind === undefined || versions.length === 0) throw new Fault('hsm.rejected', 'This key has nothing to back up.')
    const use = { policy, ...(grant ? { grant } : {}), ...(vaultKey ? { vaultKey } : {}) }
    const backedUp: BackupVersion[] = []
    for (const version of versions) {
      const read = readVersion(connection, kind, use, version)
      // A worker could have one version read so often that the host is silent for too long.
      if (read.version <= (backedUp.at(-1)?.version ?? 0))
        throw new Fault('hsm.rejected', 'A backup has each version once, in their order.')
      backedUp.push(read)
    }
    const origin = { vault: fields.vault.toString('hex'), appliance }
    const content = encodeContent({ ...fields, origin, versions: backedUp })
    const { name, handle } = connection.roots.newestBackupSeal()
    const seal = connection.session.sign(hmacSha256, handle, content, Buffer.alloc(sealBytes))
    return writeKeyBackup({ content, seal: { name, seal } })
  })
}

function readVersion(
  connection: Connection,
  kind: KeyKind,
  use: Omit<KeyReference, 'key'>,
  { key, count }: KeyToBackUp['versions'][number],
): BackupVersion {
  const { whole, publicKey } = connection.keys.open({ key, ...use }, 'backup')
  const counted = connection.keys.openCount(count)
  // A key of another kind than that of its type would be restored as a key of the wrong type.
  if (!isVersion(whole) || whole.key?.kind !== kind || !isCountOf(counted, whole))
    throw new Fault('hsm.rejected', 'Key and count are not those of one version.')
  const { backupKek: kek, backupBlob, version, disabled, createdAt } = whole.fields
  if (kek === null || backupBlob === null) throw new Fault('hsm.rejected', 'This version has no backup.')
  const blob = removeOuterWrapping(connection, use.vaultKey, 'backup', { ...whole.fields, blob: backupBlob })
  return {
    version,
    disabled,
    createdAt,
    invocations: counted.fields.invocations,
    publicKey: publicKey ?? null,
    ...currentBackup(connection, kind, { kek, blob }, isExportable(whole.key.kek)),
  }
}

type Version = Extract<OpenedRecord, { type: 'transparent key version 2' }>
type Count = Extract<OpenedRecord, { type: 'invocations 2' }>

const isVersion = (record: OpenedRecord): record is Version => record.type === 'transparent key version 2'

function isCountOf(count: OpenedRecord, version: Version): count is Count {
  return (
    count.type === 'invocations 2' &&
    count.fields.identity.equals(version.fields.identity) &&
    count.fields.vault.equals(version.fields.vault) &&
    count.fields.version === version.fields.version
  )
}

const isExportable = (kek: string): boolean => /^(?:backup-)?exportable\./.test(kek)

function openPolicy({ keys }: Connection, sealed: SealedRecord): FieldsOf<'transparent key 2'> {
  keys.verify(sealed)
  const policy = openSealed(sealed.record)
  if (policy.type !== 'transparent key 2') throw new Fault('hsm.rejected', 'This is not a policy of a key.')
  return policy.fields
}
