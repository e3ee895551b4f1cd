import { hash } from 'node:crypto'
import { MoreThan, type EntitySchema, type FindManyOptions } from 'typeorm'
import type { AuditEvent, RecordedRows } from '../audit/event.ts'
import { placesIn, restoredObjects } from '../audit/object-places.ts'
import type { CurrentRow, CurrentRows } from '../audit/row-replay.ts'
import { ApplicationKeyTable, type ApplicationKey } from '../features/auth/application-key-records.ts'
import { placedObjects } from '../features/objects/subtree-records.ts'
import { OtpDeviceTable, type OtpDevice } from '../features/otp/records.ts'
import {
  disabledVersions,
  findKey,
  KeyVersionTable,
  TransparentKeyTable,
  type KeyRow,
} from '../features/transparent/records.ts'
import { findByUsername, findUserById, UserTable, type User } from '../features/users/records.ts'
import { findMember, MembershipTable, type MembershipRow } from '../features/vaults/membership-records.ts'
import { defaultHistory, findVault, VaultTable, type Vault } from '../features/vaults/records.ts'
import { pagesOf } from '../store/pages.ts'
import type { Reader } from '../store/store.ts'

/**
 * The state of changed rows as the audit trail records it: `name=value` texts, or null where there is no row. `audit
 * verify --database` compares the rows with their last records, so that an older row that is put back is detected if
 * any of these values differs.
 */
const rowState = {
  // Properties that earlier vaults do not have are left out where they have the default, so that their records stay
  // true.
  vault: ({ policyId, keyId, createsKeysOnUse, signingPermission, strict, history }: Vault) =>
    `policy=${policyId} key=${keyId} creates=${createsKeysOnUse} signing=${signingPermission}${strict === 1 ? ' strict' : ''}${history === defaultHistory ? '' : ` history=${history}`}`,
  member: ({ permission, grants, recoveries }: Pick<MembershipRow, 'permission' | 'grants' | 'recoveries'>) =>
    `permission=${permission} recoveries=${recoveries}${grants === null ? '' : ` grants=${grants}`}`,
  user: ({ capabilities, passphraseChangedAt, recoveries, madeBy, service }: User) =>
    `capabilities=${capabilities} passphrase=${passphraseChangedAt} recoveries=${recoveries} maker=${madeBy ?? ''}${service === null ? '' : ` service=${hash('sha256', service).slice(0, 32)}`}`,
  device: ({ userId, counter }: OtpDevice) => `user=${userId ?? ''} counter=${counter}`,
  applicationKey: ({ revokedAt }: ApplicationKey) => `revoked=${revokedAt ?? ''}`,
  key: (key: KeyRow, disabled: string) =>
    [
      `versions=${key.oldestVersion}-${key.latestVersion} encrypt=${key.minEncryptionVersion} decrypt=${key.minDecryptionVersion}`,
      `export=${key.allowExport} plain=${key.allowPlaintextExport} backup=${key.allowBackup} delete=${key.allowDelete}`,
      `rotate=${key.autoRotatePeriodMs} deleted=${key.deletedAt ?? ''} disabled=${disabled}`,
    ].join(' '),
}

/** Greatest length of a list of versions, in characters. */
const longestList = 512

/** A long list of disabled versions is replaced by its hash, since the length of a record is bounded. */
const shortened = (list: string): string =>
  list.length <= longestList ? list : `sha256:${hash('sha256', list).slice(0, 32)}`

/** The state of a key, and in the form of earlier releases, which listed each disabled version. */
function currentKey(key: KeyRow, disabled: readonly number[]): CurrentRow {
  const whole = disabled.join(',')
  const list = shortened(whole)
  const row = { state: rowState.key(key, list), since: key.createdAt }
  return list === whole ? row : { ...row, earlier: rowState.key(key, whole) }
}

/** The rows that a record is about, within the transaction that the record belongs to. */
export async function recordedRows(tx: Reader, event: AuditEvent): Promise<RecordedRows> {
  const vaultId = await vaultOf(tx, event)
  const userId = await userOf(tx, event)
  const isOfVault = Number.isSafeInteger(vaultId)
  return Object.assign(
    isOfVault ? await rowsOfVault(tx, vaultId, event.key, userId ?? event.userId) : {},
    isOfVault || userId === undefined ? {} : await rowsOfUser(tx, userId),
    await rowsOfDevice(tx, event),
    await rowsOfApplicationKey(tx, event),
    restores.has(event.operation) ? { [restoredObjects]: null } : {},
  )
}

const restores: ReadonlySet<string> = new Set(['console.database.accept-restored', 'console.backup.restore'])

/** The vault that a record names. A new one is the newest of its creator. */
async function vaultOf(tx: Reader, { operation, vault, target = '', userId }: AuditEvent): Promise<number> {
  if (operation !== 'vault.create') return Number(vault ?? /^vault (\d+) /.exec(target)?.[1])
  const [newest] = await tx.find(MembershipTable, {
    where: { userId: userId ?? 0 },
    order: { vaultId: 'DESC' },
    take: 1,
  })
  return Number(newest?.vaultId)
}

/** The user whom a record names, or who logs in. */
async function userOf(tx: Reader, { operation, target = '', userId }: AuditEvent): Promise<number | undefined> {
  const [, name] = /^(?:vault \d+ )?(?:user|service) (.+?)(?:: .*)?$/.exec(target) ?? []
  if (name === undefined) return operation.startsWith('auth.') ? userId : undefined
  const byName = operation === 'user.create' || operation === 'service.create' || operation.startsWith('console.')
  const user = await (byName ? findByUsername(tx, name) : findUserById(tx, Number(name) || 0))
  return user?.id
}

async function rowsOfVault(tx: Reader, vaultId: number, keyName: string | undefined, userId: number | undefined) {
  const rows: Record<string, string | null> = {}
  if (keyName !== undefined) {
    const key = (await findKey(tx, vaultId, keyName))?.key
    rows[`key ${vaultId}/${keyName}`] = key
      ? rowState.key(key, shortened((await disabledVersions(tx, key.id)).join(',')))
      : null
    return rows
  }
  const vault = await findVault(tx, vaultId)
  rows[`vault ${vaultId}`] = vault && rowState.vault(vault)
  if (userId === undefined || vault === null) return rows
  const member = await findMember(tx, { vaultId, userId })
  rows[`member ${vaultId}/${userId}`] = member && rowState.member(member)
  return rows
}

async function rowsOfUser(tx: Reader, userId: number) {
  const rows: Record<string, string | null> = {}
  const user = await findUserById(tx, userId)
  rows[`user ${userId}`] = user && rowState.user(user)
  for (const device of await tx.findBy(OtpDeviceTable, { userId }))
    rows[`device ${device.id}`] = rowState.device(device)
  return rows
}

/** A device that the record itself names: one without a holder is among the devices of no user. */
async function rowsOfDevice(tx: Reader, { target = '' }: AuditEvent) {
  const named = /: (?:OTP device (\d+)|hardware token ([cbdefghijklnrtuv]{12}))$/.exec(target)
  if (named === null) return {}
  const [, id, publicId = ''] = named
  const device = await tx.findOneBy(OtpDeviceTable, id === undefined ? { publicId } : { id: Number(id) })
  const row = id ?? device?.id
  return row === undefined ? {} : { [`device ${row}`]: device && rowState.device(device) }
}

async function rowsOfApplicationKey(tx: Reader, { operation, target = '' }: AuditEvent) {
  const [, name] = /^application key (.+)$/.exec(operation === 'console.apikey.shapes' ? '' : target) ?? []
  if (name === undefined) return {}
  const [key] = await tx.find(ApplicationKeyTable, { where: { name }, order: { id: 'DESC' }, take: 1 })
  return key === undefined ? {} : { [`application key ${key.id}`]: rowState.applicationKey(key) }
}

/** All rows whose state the trail records. */
export async function currentRows(reader: Reader): Promise<CurrentRows> {
  const rows = new Map<string, CurrentRow>()
  const disabled = new Map<number, number[]>()
  for (const { keyId, version } of await reader.find(KeyVersionTable, {
    where: { disabled: 1 },
    order: { version: 'ASC' },
    select: { keyId: true, version: true },
  }))
    if (!disabled.get(keyId)?.push(version)) disabled.set(keyId, [version])
  for await (const vault of eachOf(reader, VaultTable))
    rows.set(`vault ${vault.id}`, { state: rowState.vault(vault), since: vault.createdAt })
  for (const member of await reader.find(MembershipTable, {
    select: { vaultId: true, userId: true, permission: true, grants: true, recoveries: true, addedAt: true },
  }))
    rows.set(`member ${member.vaultId}/${member.userId}`, { state: rowState.member(member), since: member.addedAt })
  for await (const user of eachOf(reader, UserTable))
    rows.set(`user ${user.id}`, { state: rowState.user(user), since: user.createdAt })
  for await (const device of eachOf(reader, OtpDeviceTable))
    rows.set(`device ${device.id}`, { state: rowState.device(device), since: device.createdAt })
  for await (const key of eachOf(reader, ApplicationKeyTable))
    rows.set(`application key ${key.id}`, { state: rowState.applicationKey(key), since: key.createdAt })
  for await (const key of eachOf(reader, TransparentKeyTable))
    rows.set(`key ${key.vaultId}/${key.name}`, currentKey(key, disabled.get(key.id) ?? []))
  return { rows, places: await placesIn(placedObjects(reader)) }
}

/** The rows of a table by id, read in pages so that they are not all in memory. */
async function* eachOf<Row extends { readonly id: number }>(reader: Reader, table: EntitySchema<Row>) {
  const pages = pagesOf((after, most) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every one of these tables has the column
    const options = { where: { id: MoreThan(after) }, order: { id: 'ASC' }, take: most } as FindManyOptions<Row>
    return reader.find(table, options)
  })
  for await (const page of pages) yield* page
}
