import { hash } from 'node:crypto'
import { Fault } from '../../fault.ts'
import { type BackupVersion, decodeContent, encodeContent, writeKeyBackup } from '../key-backup-record.ts'
import { decodeRecord, encodeRecord } from '../key-record.ts'
import type { KeyReference, KeyToBackUp, SealedRecord } from '../hsm.ts'
import { kindOfType, type KeyKind } from '../key-kind.ts'
import type { FieldsOf, OpenedRecord } from '../record-layouts.ts'
import type { Connection } from './connection.ts'
import { currentBackup } from './key-restoring.ts'
import { hmacSha256 } from './mechanisms.ts'
import { removeOuterWrapping } from './outer-wrapping.ts'
import { openSealed } from './seal-check.ts'
import { sealBytes } from './seal-versions.ts'
import { auditPublicKey, verifyBackup } from './seal-operations.ts'
import type { Token } from './token-link.ts'

/** What a request backs up of a key, whose versions may be more than a host reads in one go. */
export interface BackupRequest extends KeyToBackUp {
  /** Parts with the other versions; none where a part is made. */
  readonly parts: readonly Buffer[]
  /** Whether a part is made, which no appliance restores. */
  readonly isPart: boolean
}

/** See `Hsm.sealBackup`. All content of the backup comes from sealed records that are verified here, or in its parts. */
export function sealBackup(token: Token, request: BackupRequest): Buffer {
  const { grant, policy, vaultKey, versions, isPart } = request
  // A part of parts would take a host as long as all of them.
  if (isPart && request.parts.length > 0) throw new Fault('hsm.rejected', 'A part of a backup has no parts.')
  const appliance = hash('sha256', auditPublicKey(token))
  const inParts = request.parts.flatMap((part) => versionsOfPart(token, part, policy))
  return token.run((connection) => {
    const fields = openPolicy(connection, policy)
    const kind = kindOfType(fields.type)
    if (kind === undefined || versions.length === 0) throw new Fault('hsm.rejected', 'This key has nothing to back up.')
    const use = { policy, ...(grant ? { grant } : {}), ...(vaultKey ? { vaultKey } : {}) }
    const read = versions.map((version) => readVersion(connection, kind, use, version))
    const backedUp = [...inParts, ...read].toSorted((one, other) => one.version - other.version)
    if (backedUp.some(({ version }, at) => version === backedUp[at - 1]?.version))
      throw new Fault('hsm.rejected', 'A backup has each version once.')
    const origin = { vault: fields.vault.toString('hex'), appliance }
    const whole = encodeContent({ ...fields, origin, versions: backedUp })
    const content = isPart ? encodeRecord([partMark, digestOf(policy), whole]) : whole
    const { name, handle } = connection.roots.newestBackupSeal()
    const seal = connection.session.sign(hmacSha256, handle, content, Buffer.alloc(sealBytes))
    return writeKeyBackup({ content, seal: { name, seal } })
  })
}

/** The first field of a part's content, which is no beginning of a backup's (`key-backup-record.ts`). */
const partMark = 'backup part'

/** A part counts under the same policy only, which names the key and its generation. */
const digestOf = ({ record }: SealedRecord): Buffer => hash('sha256', record, 'buffer')

function versionsOfPart(token: Token, part: Buffer, policy: SealedRecord): readonly BackupVersion[] {
  const [mark, digest, whole, ...more] = decodeRecord(verifyBackup(token, part)).map((field) => field.subarray(1))
  const isPart = mark?.toString() === partMark && digest?.equals(digestOf(policy)) === true && more.length === 0
  if (!isPart || whole === undefined) throw new Fault('hsm.rejected', 'This is no part of a backup of this key.')
  return decodeContent(whole).versions
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
