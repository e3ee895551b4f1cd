import { EntitySchema, In, IsNull, LessThan, MoreThan } from 'typeorm'
import { keyRecord } from '../../hsm/key-record.ts'
import { hasFactor } from '../../hsm/user-factors.ts'
import type { SecretKeyKind } from '../../hsm/key-kind.ts'
import type { KeyReference } from '../../hsm/hsm.ts'
import type { OtpState } from '../../hsm/otp-use.ts'
import { bytes, id, integer, named, nullable, text, time } from '../../store/columns.ts'
import { change, readRow, select, selectList } from '../../store/statement.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { UserTable, type User } from '../users/records.ts'

/** What a login calls its second factor (spec: Login types): a HOTP token is a hardware token. */
export type OtpKind = 'totp' | 'hwkey_otp'

/** What a device does: RFC 6238, RFC 4226, or Yubico's 44 characters. */
export type DeviceKind = 'totp' | 'hotp' | 'hwkey_otp'

/** A hardware token or an authenticator app. Its counter stays with it when its holder changes, and never goes back. */
export interface OtpDevice {
  readonly id: number
  readonly kind: DeviceKind
  /** 12 modhex characters; null for TOTP and HOTP. */
  readonly publicId: string | null
  /** Null while it has no holder: the row stays for the counter's sake. */
  readonly userId: number | null
  /** Of TOTP and HOTP it names the hash as well. */
  readonly keyKind: SecretKeyKind
  readonly kek: string
  readonly blob: Buffer
  readonly seal: Buffer
  /** HMAC in the token of the 6-byte private id; null for TOTP and HOTP. */
  readonly privateIdCheck: Buffer | null
  /**
   * HMAC in the token of a seed, which recognises it when it is enrolled again; null for Yubico OTP, which has a public
   * id.
   */
  readonly seedCheck: Buffer | null
  readonly digits: number | null
  readonly periodSeconds: number | null
  /**
   * Yubico: (use counter << 8) | session use of the last OTP; TOTP: the last accepted time step; HOTP: the next
   * expected counter.
   */
  readonly counter: number
  /** TOTP: how many steps its clock was ahead of ours at the last login; less than 0 when it was behind. */
  readonly driftSteps: number
  /** Yubico: the token's own clock at its last OTP, 24 bits, 8 ticks a second since it was plugged in. */
  readonly ticks: number | null
  readonly usedAt: number | null
  readonly createdAt: number
}

export const OtpDeviceTable = new EntitySchema<OtpDevice>({
  name: 'OtpDevice',
  tableName: 'otp_devices',
  columns: {
    id,
    kind: text,
    publicId: named('public_id', nullable(text)),
    userId: named('user_id', nullable(integer)),
    keyKind: named('key_kind', text),
    kek: text,
    blob: bytes,
    seal: bytes,
    privateIdCheck: named('private_id_check', nullable(bytes)),
    seedCheck: named('seed_check', nullable(bytes)),
    digits: nullable(integer),
    periodSeconds: named('period_seconds', nullable(integer)),
    counter: integer,
    driftSteps: named('drift_steps', integer),
    ticks: nullable(integer),
    usedAt: named('used_at', nullable(time)),
    createdAt: named('created_at', time),
  },
})

/** What an enrolment records of a device: all that its seal covers, and the check of its seed. */
export type EnrolledFields = Pick<
  OtpDevice,
  | 'kind'
  | 'publicId'
  | 'userId'
  | 'keyKind'
  | 'kek'
  | 'blob'
  | 'privateIdCheck'
  | 'seedCheck'
  | 'digits'
  | 'periodSeconds'
>

/**
 * The bytes that the device's seal covers: write access to the database alone gives no device to another user, and
 * weakens none.
 */
export function deviceRecord(device: Omit<EnrolledFields, 'seedCheck'>): Buffer {
  const { kind, publicId, userId, keyKind, kek, blob, privateIdCheck, digits, periodSeconds } = device
  return keyRecord(keyKind, { kek, blob }, ['otp', kind, publicId, userId, privateIdCheck, digits, periodSeconds])
}

export function deviceKey(device: OtpDevice): KeyReference {
  return { key: { record: deviceRecord(device), seal: device.seal } }
}

/** What the keeper is shown of a device. */
export function stateOf(device: OtpDevice): OtpState {
  return { device: deviceKey(device).key, counter: device.counter, driftSteps: device.driftSteps }
}

export function findByPublicId(reader: Reader, publicId: string): Promise<OtpDevice | null> {
  return reader.findOneBy(OtpDeviceTable, { publicId })
}

export function findBySeed(tx: Tx, checks: readonly Buffer[]): Promise<OtpDevice | null> {
  return tx.findOneBy(OtpDeviceTable, { seedCheck: In([...checks]) })
}

/** Undefined for a device of another user. */
export async function findOfUser(reader: Reader, userId: number, deviceId: number): Promise<OtpDevice | undefined> {
  return (await reader.findOneBy(OtpDeviceTable, { id: deviceId, userId })) ?? undefined
}

/** In the order in which they were enrolled; all kinds unless some are named. */
export function devicesOf(reader: Reader, userId: number, ...kinds: readonly DeviceKind[]): Promise<OtpDevice[]> {
  const where = kinds.length === 0 ? { userId } : { userId, kind: In([...kinds]) }
  return reader.find(OtpDeviceTable, { where, order: { id: 'ASC' } })
}

type Factors = Pick<User, 'factors'>

/** Those that the user logs in with: the row of the user names them. */
export const provenDevices = ({ factors }: Factors, devices: readonly OtpDevice[]): OtpDevice[] =>
  devices.filter((device) => hasFactor(factors, deviceRecord(device)))

/** Those of an enrolment that the user has begun. */
export const unprovenDevices = ({ factors }: Factors, devices: readonly OtpDevice[]): OtpDevice[] =>
  devices.filter((device) => !hasFactor(factors, deviceRecord(device)))

/** The hardware tokens without a holder. */
export function unheldDevices(reader: Reader): Promise<OtpDevice[]> {
  return reader.find(OtpDeviceTable, { where: { userId: IsNull(), kind: 'hwkey_otp' }, order: { publicId: 'ASC' } })
}

/** In the order of their ids, from the one after `after` on. */
export function devicesAfter(reader: Reader, after: number, most: number): Promise<OtpDevice[]> {
  return reader.find(OtpDeviceTable, { where: { id: MoreThan(after) }, order: { id: 'ASC' }, take: most })
}

/** Lifts a counter, without a use. */
export async function raiseCounter(tx: Tx, deviceId: number, counter: number): Promise<void> {
  await tx.update(OtpDeviceTable, { id: deviceId, counter: LessThan(counter) }, { counter })
}

/** A device, and the user who holds it. */
export interface HeldDevice {
  readonly device: OtpDevice
  readonly holder: User
}

/** The device with this public id; undefined where it has no holder. */
export async function findHeld(reader: Reader, publicId: string): Promise<HeldDevice | undefined> {
  const [row] = await select<object>(reader, byPublicId, [publicId])
  const device = row && readRow(OtpDeviceTable, row)
  const [holder] = device === undefined ? [] : await select<object>(reader, holderById, [device.userId])
  return device && holder && { device, holder: readRow(UserTable, holder) }
}

const byPublicId = `SELECT ${selectList(OtpDeviceTable, 'd')} FROM otp_devices d WHERE d.public_id = $1`
const holderById = `SELECT ${selectList(UserTable, 'u')} FROM users u WHERE u.id = $1`

export type NewDevice = EnrolledFields & Pick<OtpDevice, 'seal' | 'counter' | 'createdAt'>

export async function insertDevice(tx: Tx, enrolled: NewDevice): Promise<OtpDevice> {
  const device = { ...enrolled, driftSteps: 0, ticks: null, usedAt: null }
  const inserted = await tx.insert(OtpDeviceTable, device)
  return { ...device, id: Number(inserted.identifiers[0]?.['id']) }
}

/** Puts a new device into the row of one that was never used. */
export async function replaceDevice(tx: Tx, { id: deviceId }: OtpDevice, enrolled: NewDevice): Promise<OtpDevice> {
  const device = { ...enrolled, driftSteps: 0, ticks: null, usedAt: null }
  await tx.update(OtpDeviceTable, { id: deviceId }, device)
  return { ...device, id: deviceId }
}

/** Gives a device without a holder to a user. Its counter stays where it was, or advances to the given one. */
export async function readoptDevice(
  tx: Tx,
  deviceId: number,
  changes: EnrolledFields & Pick<OtpDevice, 'seal'> & Partial<Pick<OtpDevice, 'counter'>>,
): Promise<boolean> {
  return (await tx.update(OtpDeviceTable, { id: deviceId, userId: IsNull() }, changes)).affected === 1
}

/** Takes a device from its user; false when the row has changed since it was read. */
export async function releaseDevice(
  tx: Tx,
  device: OtpDevice,
  changes: Pick<OtpDevice, 'kek' | 'blob' | 'seal'>,
): Promise<boolean> {
  const { id: deviceId, seal } = device
  return (await tx.update(OtpDeviceTable, { id: deviceId, seal }, { ...changes, userId: null })).affected === 1
}

/** The columns that the use of an OTP changes. */
export type Advance = Pick<OtpDevice, 'counter' | 'driftSteps' | 'ticks' | 'usedAt'>

/**
 * Decides whether an OTP was used before, in one statement of the database: of any number of parallel uses of one OTP
 * exactly one changes the row, and none after the device was taken from its user.
 */
export async function advanceCounter(
  tx: Tx,
  deviceId: number,
  userId: number | null,
  { counter, driftSteps, ticks, usedAt }: Advance,
): Promise<boolean> {
  return (await change(tx, advance, [counter, driftSteps, ticks, usedAt, deviceId, userId])) === 1
}

const advance = `UPDATE otp_devices SET counter = $1, drift_steps = $2, ticks = $3, used_at = $4
  WHERE id = $5 AND counter < $1 AND (user_id = $6 OR (user_id IS NULL AND $6 IS NULL))`
