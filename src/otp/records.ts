import { EntitySchema, IsNull, LessThan } from 'typeorm'
import { mayLogIn } from '../access/capabilities.ts'
import { keyRecord, type KeyKind, type KeyReference } from '../hsm/hsm.ts'
import { bytes, id, integer, named, nullable, text, time } from '../store/columns.ts'
import type { Store, Tx } from '../store/store.ts'

export type OtpKind = 'totp' | 'hwkey_otp'

/** A hardware token or an authenticator app. Its counter is its own, whoever holds it, and never goes back. */
export interface OtpDevice {
  readonly id: number
  readonly kind: OtpKind
  /** 12 modhex characters; null for TOTP. */
  readonly publicId: string | null
  /** Null once it was taken from its user: the row stays for the counter's sake. */
  readonly userId: number | null
  readonly keyKind: KeyKind
  readonly kek: string
  readonly blob: Buffer
  readonly seal: Buffer
  /** HMAC in the token of the 6-byte private id; null for TOTP. */
  readonly privateIdCheck: Buffer | null
  readonly digits: number | null
  readonly periodSeconds: number | null
  /** Hardware token: (use counter << 8) | session use of the last OTP; TOTP: the last accepted time step. */
  readonly counter: number
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
    digits: nullable(integer),
    periodSeconds: named('period_seconds', nullable(integer)),
    counter: integer,
    createdAt: named('created_at', time),
  },
})

/** The bytes that the device's seal covers: nobody gives a device to another user, or weakens it, in the database alone. */
export function deviceRecord(device: Omit<OtpDevice, 'id' | 'seal' | 'counter' | 'createdAt'>): Buffer {
  const { kind, publicId, userId, keyKind, kek, blob, privateIdCheck, digits, periodSeconds } = device
  return keyRecord(keyKind, { kek, blob }, ['otp', kind, publicId, userId, privateIdCheck, digits, periodSeconds])
}

export function deviceKey(device: OtpDevice): KeyReference {
  return { key: { record: deviceRecord(device), seal: device.seal } }
}

export function findByPublicId(tx: Tx, publicId: string): Promise<OtpDevice | null> {
  return tx.findOneBy(OtpDeviceTable, { publicId })
}

export function devicesOf(tx: Tx, userId: number, kind: OtpKind): Promise<OtpDevice[]> {
  return tx.findBy(OtpDeviceTable, { userId, kind })
}

/** Whether somebody holds the device who may log in. */
export async function holderMayLogIn(store: Pick<Store, 'query'>, deviceId: number): Promise<boolean> {
  const [holder] = await store.query<{ capabilities: number }>(holderCapabilities, [deviceId])
  return holder !== undefined && mayLogIn(holder.capabilities)
}

const holderCapabilities = `SELECT u.capabilities FROM otp_devices d JOIN users u ON u.id = d.user_id WHERE d.id = $1`

export async function insertDevice(tx: Tx, device: Omit<OtpDevice, 'id'>): Promise<OtpDevice> {
  const inserted = await tx.insert(OtpDeviceTable, device)
  return { ...device, id: Number(inserted.identifiers[0]?.['id']) }
}

/** Gives a device without a user to this one again; its counter stays where it was. */
export async function readoptDevice(
  tx: Tx,
  deviceId: number,
  device: Omit<OtpDevice, 'id' | 'counter' | 'createdAt'>,
): Promise<boolean> {
  return (await tx.update(OtpDeviceTable, { id: deviceId, userId: IsNull() }, device)).affected === 1
}

/**
 * The decision whether an OTP was used before, made by the database in one statement: of any number of parallel uses
 * of one OTP exactly one changes the row.
 */
export async function advanceCounter(tx: Tx, deviceId: number, counter: number): Promise<boolean> {
  return (await tx.update(OtpDeviceTable, { id: deviceId, counter: LessThan(counter) }, { counter })).affected === 1
}
