import { Fault } from '../fault.ts'
import { kindOfType } from './key-kind.ts'
import { decodeRecord, encodeRecord } from './key-record.ts'
import type { FieldsOf } from './record-layouts.ts'

/** The vault and the appliance of which a backup was made. */
export interface BackupOrigin {
  /** The identity of the vault, hexadecimal. */
  readonly vault: string
  /** SHA-256 of the appliance's public key for the audit trail, hexadecimal. */
  readonly appliance: string
}

/**
 * A backup of a key: everything but its name. Text is base64 of a record (`key-record.ts`): the
 * format's name, the name of the backup seal, the seal, and the content that it covers.
 */
export interface KeyBackup {
  /** Undefined in backups of format 1. */
  readonly origin: BackupOrigin | undefined
  readonly type: string
  readonly info: string
  readonly allowExport: number
  readonly allowPlaintextExport: number
  readonly allowDelete: number
  readonly autoRotatePeriodMs: number
  readonly minEncryptionVersion: number
  readonly minDecryptionVersion: number
  readonly versions: readonly BackupVersion[]
}

export interface BackupVersion {
  readonly version: number
  readonly disabled: number
  readonly createdAt: number
  /** Upper bound of its encryptions so far, since the limit of 2^32 counts those before the backup too. */
  readonly invocations: number
  readonly kek: string
  readonly blob: Buffer
  readonly publicKey: Buffer | null
}

export interface SealedKeyBackup {
  readonly content: Buffer
  readonly seal: { readonly name: string; readonly seal: Buffer }
}

const formats = ['strongroom key backup 1', 'strongroom key backup 2']
/**
 * The first field of a content of format 2. One of format 1 begins with the type of its key, none of which has this
 * name.
 */
const originMark = 'origin'
const originFields = 3
const headFields = 8
const versionFields = 7
/** Most versions of a key in a backup. One with more could be made, but `decodeRecord` would not read it. */
export const mostBackupVersions = 40_000

export function encodeContent(backup: KeyBackup): Buffer {
  const versions = backup.versions.flatMap(({ version, disabled, createdAt, invocations, kek, blob, publicKey }) => [
    version,
    disabled,
    createdAt,
    invocations,
    kek,
    blob,
    publicKey,
  ])
  const { origin } = backup
  return encodeRecord([
    ...(origin === undefined ? [] : [originMark, origin.vault, origin.appliance]),
    backup.type,
    backup.info,
    backup.allowExport,
    backup.allowPlaintextExport,
    backup.allowDelete,
    backup.autoRotatePeriodMs,
    backup.minEncryptionVersion,
    backup.minDecryptionVersion,
    ...versions,
  ])
}

export function writeKeyBackup({ content, seal }: SealedKeyBackup): Buffer {
  return encodeRecord([formats.at(-1) ?? '', seal.name, seal.seal, content])
}

/** @throws Fault `backup.invalid` for anything that `writeKeyBackup` did not write */
export function readKeyBackup(bytes: Buffer): SealedKeyBackup {
  const [name, sealName, seal, content, ...more] = fieldsOf(bytes)
  if (!formats.includes(text(name ?? Buffer.alloc(0))) || !sealName || !seal || !content || more.length > 0)
    throw malformed()
  return { content: content.subarray(1), seal: { name: text(sealName), seal: seal.subarray(1) } }
}

/**
 * Parses a content whose seal was verified, so that an appliance with the same backup keys has written it.
 * @throws Fault `backup.invalid`
 */
export function decodeContent(content: Buffer): KeyBackup {
  const all = fieldsOf(content)
  const origin = originOf(all)
  const fields = origin === undefined ? all : all.slice(originFields)
  const [type, info, allowExport, allowPlaintextExport, allowDelete, autoRotate, minEncryption, minDecryption] = fields
  if (
    !type ||
    !info ||
    !allowExport ||
    !allowPlaintextExport ||
    !allowDelete ||
    !autoRotate ||
    !minEncryption ||
    !minDecryption
  )
    throw malformed()
  if (kindOfType(text(type)) === undefined)
    throw new Fault('backup.invalid', `This release does not know the key type ${text(type)}.`)
  return {
    origin,
    type: text(type),
    info: text(info),
    allowExport: number(allowExport),
    allowPlaintextExport: number(allowPlaintextExport),
    allowDelete: number(allowDelete),
    autoRotatePeriodMs: number(autoRotate),
    minEncryptionVersion: number(minEncryption),
    minDecryptionVersion: number(minDecryption),
    versions: versionsOf(fields.slice(headFields)),
  }
}

/** The fields that the policy of a restored key must have. */
export function restoredPolicy(backup: KeyBackup) {
  const { origin: _, versions, ...flags } = backup
  const numbers = versions.map(({ version }) => version)
  return {
    ...flags,
    residency: 'database',
    allowBackup: 1,
    oldestVersion: Math.min(...numbers),
    latestVersion: Math.max(...numbers),
    deletedAt: null,
  } as const satisfies Partial<FieldsOf<'transparent key 2'>>
}

function originOf([mark, vault, appliance]: readonly Buffer[]): BackupOrigin | undefined {
  if (mark === undefined || text(mark) !== originMark) return undefined
  if (!vault || !appliance) throw malformed()
  return { vault: text(vault), appliance: text(appliance) }
}

function versionsOf(fields: readonly Buffer[]): BackupVersion[] {
  const versions: BackupVersion[] = []
  for (let at = 0; at < fields.length; at += versionFields) {
    const [version, disabled, createdAt, invocations, kek, blob, publicKey] = fields.slice(at, at + versionFields)
    if (!version || !disabled || !createdAt || !invocations || !kek || !blob || !publicKey) throw malformed()
    versions.push({
      version: number(version),
      disabled: number(disabled),
      createdAt: number(createdAt),
      invocations: number(invocations),
      kek: text(kek),
      blob: blob.subarray(1),
      publicKey: publicKey.toString() === 'n' ? null : publicKey.subarray(1),
    })
  }
  if (versions.length === 0) throw malformed()
  return versions
}

function fieldsOf(bytes: Buffer): Buffer[] {
  try {
    return decodeRecord(bytes)
  } catch (cause) {
    if (cause instanceof RangeError) throw malformed()
    throw cause
  }
}

// The first byte of a field tells its kind (`key-record.ts`).
const text = (field: Buffer): string => field.toString('utf8', 1)
const number = (field: Buffer): number => Number(field.toString('latin1', 1))

const malformed = (): Fault => new Fault('backup.invalid', 'This is not a backup of a key.')
