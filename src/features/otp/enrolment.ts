import { transactionGrant } from '../../access/transaction-grant.ts'
import type { Clock } from '../../clock.ts'
import { Fault } from '../../fault.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { Provenance } from '../../hsm/made-key.ts'
import { newestOf } from '../../hsm/peppered-check.ts'
import { otpPurpose } from '../../hsm/provenance.ts'
import { withFactor } from '../../hsm/user-factors.ts'
import type { SecretKeyKind } from '../../hsm/key-kind.ts'
import { retryOvertaken } from '../../store/overtaken.ts'
import type { Commit, Tx } from '../../store/store.ts'
import type { User } from '../users/records.ts'
import type { Recoveries } from '../users/recovery.ts'
import { codeParameters, type CodeRequest } from './code-parameters.ts'
import { checkDeviceLimit } from './device-limit.ts'
import {
  deviceRecord,
  findByPublicId,
  findBySeed,
  insertDevice,
  readoptDevice,
  type EnrolledFields,
  type OtpDevice,
} from './records.ts'
import { seedText, seedUri } from './otpauth-uri.ts'
import { isPublicId } from './yubico-otp.ts'

export interface CodeEnrolment {
  readonly device: OtpDevice
  /** otpauth URI with the seed: shown once, stored nowhere. */
  readonly uri: string
  /** The seed in base32, for typing. */
  readonly secret: string
}

export interface HardwareToken {
  /** 12 modhex characters: the constant first part of its OTPs. */
  readonly publicId: string
  /** 6 bytes. */
  readonly privateId: Buffer
  /** 16 bytes. */
  readonly secret: Buffer
}

export interface Holder {
  readonly id: number
  readonly username: string
}

/** Enrols devices. `by` is who gives the device: see `Recoveries`. */
export interface Enrolments {
  /**
   * `enrolCodes` for an authenticator app, with the parameters that every app supports: SHA-1, 6 digits, 30 seconds.
   */
  enrolTotp(user: Holder, by: number, commit: Commit): Promise<CodeEnrolment>
  /**
   * Gives a user a code device, with a seed made in the token or the given one, which is zeroed afterwards. A seed that
   * was enrolled before keeps its counter, so that no code accepted then is accepted again.
   * @throws Fault `otp.device_invalid`, `otp.device_exists`, `otp.device_limit`, `user.not_found`
   */
  enrolCodes(user: Holder, request: CodeRequest, by: number, commit: Commit): Promise<CodeEnrolment>
  /**
   * Registers a hardware token, for a user or without a holder, and zeroes the given secrets. A token that was
   * registered before keeps its counter, so that no OTP accepted then is accepted again.
   * @throws Fault `otp.device_invalid`, `otp.device_exists`, `otp.device_limit`, `user.not_found`
   */
  enrolHardwareToken(userId: number | null, token: HardwareToken, by: number, commit: Commit): Promise<OtpDevice>
}

export function createEnrolments({
  hsm,
  recoveries,
  clock,
}: {
  readonly hsm: Pick<Hsm, 'random' | 'importSecret' | 'seedChecks' | 'privateIdCheck' | 'seal'>
  readonly recoveries: Pick<Recoveries, 'note'>
  readonly clock: Clock
}): Enrolments {
  async function enrolCodes(user: Holder, request: CodeRequest, by: number, commit: Commit): Promise<CodeEnrolment> {
    const { parameters, secret, seedChecks, fields } = await newCodeDevice(hsm, user, request)
    const { kind, counter } = parameters
    // What another call enrols at the same time is found at the second try.
    const enrol = async (tx: Tx): Promise<OtpDevice> => {
      await checkDeviceLimit(tx, user.id, kind)
      const row = await sealedDevice(hsm, tx, fields)
      await recoveries.note(tx, user.id, by, gaining(row))
      const known = await findBySeed(tx, seedChecks)
      if (known === null) return insertDevice(tx, { ...row, counter, createdAt: clock.now() })
      const changes = { ...row, counter: Math.max(known.counter, counter) }
      if (!(await readoptDevice(tx, known.id, changes)))
        throw new Fault('otp.device_exists', 'A device with this seed is registered already.')
      return { ...known, ...changes }
    }
    const device = await retryOvertaken(() => commit(enrol))
    return { device, secret, uri: seedUri(parameters, user.username, secret, device.counter) }
  }

  async function enrolHardwareToken(
    userId: number | null,
    token: HardwareToken,
    by: number,
    commit: Commit,
  ): Promise<OtpDevice> {
    checkToken(token)
    const { publicId } = token
    const check = await hsm.privateIdCheck(token.privateId)
    token.privateId.fill(0)
    const key = await wrappedSecret(hsm, 'otp-aes128', token.secret)
    const codes = { digits: null, periodSeconds: null, seedCheck: null }
    const fields = { ...codes, kind: 'hwkey_otp', publicId, userId, privateIdCheck: check } as const
    const enrol = async (tx: Tx): Promise<OtpDevice> => {
      if (userId !== null) await checkDeviceLimit(tx, userId, 'hwkey_otp')
      const row = await sealedDevice(hsm, tx, { ...key, ...fields })
      if (userId !== null) await recoveries.note(tx, userId, by, gaining(row))
      const known = await findByPublicId(tx, publicId)
      if (known === null) return insertDevice(tx, { ...row, counter: 0, createdAt: clock.now() })
      if (!(await readoptDevice(tx, known.id, row)))
        throw new Fault('otp.device_exists', `The hardware token ${publicId} is registered already.`)
      return { ...known, ...row }
    }
    return retryOvertaken(() => commit(enrol))
  }

  return {
    enrolTotp: (user, by, commit) => enrolCodes(user, { kind: 'totp' }, by, commit),
    enrolCodes,
    enrolHardwareToken,
  }
}

/** Makes the seed of a code device, or takes the given one, and wraps it. The row is still to be sealed. */
export async function newCodeDevice(
  hsm: Pick<Hsm, 'random' | 'importSecret' | 'seedChecks'>,
  user: Holder,
  request: CodeRequest,
) {
  const parameters = codeParameters(request)
  const seed = request.seed ?? (await hsm.random(parameters.seedBytes))
  const secret = seedText(seed)
  // They identify a seed that is enrolled again.
  const seedChecks = await hsm.seedChecks(parameters, seed)
  const { kind, digits, periodSeconds } = parameters
  const fields = {
    ...(await wrappedSecret(hsm, parameters.keyKind, seed)),
    kind,
    digits,
    periodSeconds,
    publicId: null,
    userId: user.id,
    privateIdCheck: null,
    seedCheck: newestOf(seedChecks),
  }
  return { parameters, secret, seedChecks, fields }
}

/** Seals the row of a new device. */
export const sealedDevice = async (
  hsm: Pick<Hsm, 'seal'>,
  tx: Tx,
  { provenance, ...device }: EnrolledFields & Provenance,
) => ({
  ...device,
  seal: await hsm.seal(deviceRecord(device), { provenance, grant: await transactionGrant(tx) }),
})

/** The change of the user's row by which the device becomes a second factor. */
const gaining =
  (device: EnrolledFields) =>
  ({ factors }: User): Partial<User> => ({ factors: withFactor(factors, deviceRecord(device)) })

/** Wraps a secret in the token, and zeroes it. */
async function wrappedSecret(
  hsm: Pick<Hsm, 'importSecret'>,
  keyKind: SecretKeyKind,
  secret: Buffer,
): Promise<Pick<OtpDevice, 'keyKind' | 'kek' | 'blob'> & Provenance> {
  try {
    return { keyKind, ...(await hsm.importSecret(keyKind, secret, otpPurpose)) }
  } finally {
    secret.fill(0)
  }
}

function checkToken(token: HardwareToken): void {
  if (!isPublicId(token.publicId))
    throw new Fault('otp.device_invalid', 'The public id must be 12 modhex characters (cbdefghijklnrtuv).')
  if (token.privateId.length !== 6)
    throw new Fault('otp.device_invalid', 'The private id must be 6 bytes (12 hexadecimal digits).')
  if (token.secret.length !== 16)
    throw new Fault('otp.device_invalid', 'The secret must be 16 bytes (32 hexadecimal digits).')
}
