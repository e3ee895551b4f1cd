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

/** The name of the second factor at a login (spec: Login types). A HOTP token counts as a hardware token. */
export type OtpType = 'totp' | 'hwkey_otp'

/** What a client says of an OTP. `code`: it names no type, and 6 to 8 digits may be of an app or of a HOTP token. */
export type OtpKind = OtpType | 'code'

/** How a device makes OTPs: RFC 6238, RFC 4226, or Yubico's 44 characters. */
export type DeviceKind = 'totp' | 'hotp' | 'hwkey_otp'

/**
 * A hardware token or an authenticator app. It keeps its counter when its holder changes, and the counter never
 * decreases.
 */
export interface OtpDevice {
  readonly id: number
  readonly kind: DeviceKind
  /** 12 modhex characters; null for TOTP and HOTP. */
  readonly publicId: string | null
  /** Null while it has no holder. The row is kept for its counter. */
  readonly userId: number | null
  /** For TOTP and HOTP this includes the hash. */
  readonly keyKind: SecretKeyKind
  readonly kek: string
  readonly blob: Buffer
  readonly seal: Buffer
  /** HMAC of the token over the 6-byte private id; null for TOTP and HOTP. */
  readonly privateIdCheck: Buffer | null
  /**
   * HMAC of the token over the seed, which identifies it when it is enrolled again; null for Yubico OTP, which has a
   * public id.
   */
  readonly seedCheck: Buffer | null
  readonly digits: number | null
  readonly periodSeconds: number | null
  /**
   * Yubico: (use counter << 8)
   * session use of the last OTP. TOTP: the last accepted time step. HOTP: the next expected counter.
   */
  readonly counter: number
  /** TOTP: how many time steps the device's clock was ahead of ours at the last login; negative when it was behind. */
  readonly driftSteps: number
  /** Yubico: the token's own clock at its last OTP, 24 bits, 8 ticks per second since it was plugged in. */
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

/** The columns that an enrolment records: those that the seal covers, and the check of the seed. */
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
 * The record that the seal of a device covers, so that write access to the database can neither give a device to
 * another user nor weaken it.
 */
export function deviceRecord(device: Omit<EnrolledFields, 'seedCheck'>): Buffer {
  const { kind, publicId, userId, keyKind, kek, blob, privateIdCheck, digits, periodSeconds } = device
  return keyRecord(keyKind, { kek, blob }, ['otp', kind, publicId, userId, privateIdCheck, digits, periodSeconds])
}

export function deviceKey(device: OtpDevice): KeyReference {
  return { key: { record: deviceRecord(device), seal: device.seal } }
}

/** The state of a device for the keeper. */
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

/** In the order of their enrolment: all kinds, or those named. */
export function devicesOf(reader: Reader, userId: number, ...kinds: readonly DeviceKind[]): Promise<OtpDevice[]> {
  const where = kinds.length === 0 ? { userId } : { userId, kind: In([...kinds]) }
  return reader.find(OtpDeviceTable, { where, order: { id: 'ASC' } })
}

type Factors = Pick<User, 'factors'>

/** The devices that are second factors: those that the user's row names. */
export const provenDevices = ({ factors }: Factors, devices: readonly OtpDevice[]): OtpDevice[] =>
  devices.filter((device) => hasFactor(factors, deviceRecord(device)))

/** The devices of enrolments that the user has begun but not completed. */
export const unprovenDevices = ({ factors }: Factors, devices: readonly OtpDevice[]): OtpDevice[] =>
  devices.filter((device) => !hasFactor(factors, deviceRecord(device)))

/** Hardware tokens without a holder. */
export function unheldDevices(reader: Reader): Promise<OtpDevice[]> {
  return reader.find(OtpDeviceTable, { where: { userId: IsNull(), kind: 'hwkey_otp' }, order: { publicId: 'ASC' } })
}

/** In the order of their ids, after the id `after`. */
export function devicesAfter(reader: Reader, after: number, most: number): Promise<OtpDevice[]> {
  return reader.find(OtpDeviceTable, { where: { id: MoreThan(after) }, order: { id: 'ASC' }, take: most })
}

/** Raises a counter without an OTP. */
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

/** Overwrites the row of a device that was never used with a new device. */
export async function replaceDevice(tx: Tx, { id: deviceId }: OtpDevice, enrolled: NewDevice): Promise<OtpDevice> {
  const device = { ...enrolled, driftSteps: 0, ticks: null, usedAt: null }
  await tx.update(OtpDeviceTable, { id: deviceId }, device)
  return { ...device, id: deviceId }
}

/** Gives a device without a holder to a user. Its counter is kept, or raised to the given one. */
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

/** The columns that using an OTP changes. */
export type Advance = Pick<OtpDevice, 'counter' | 'driftSteps' | 'ticks' | 'usedAt'>

/**
 * Uses an OTP up, in one statement: of any number of parallel uses exactly one changes the row, and none after the
 * device was taken from its user.
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
