import type { Clock } from '../../clock.ts'
import type { Hsm, SealedRecord } from '../../hsm/hsm.ts'
import type { OtpState, OtpVerdict, ShownOtp } from '../../hsm/otp-use.ts'
import { retryOvertaken } from '../../store/overtaken.ts'
import type { Reader, Tx } from '../../store/store.ts'
import { findUserById } from '../users/records.ts'
import { sealedUser } from '../users/user-seals.ts'
import { clockWentBack, codeForm, type DriftRules } from './codes.ts'
import {
  advanceCounter,
  devicesOf,
  findByPublicId,
  findHeld,
  provenDevices,
  stateOf,
  type Advance,
  type DeviceKind,
  type HeldDevice,
  type OtpDevice,
  type OtpKind,
} from './records.ts'
import {
  lastUseCounter,
  parseOtp,
  readToken,
  tokenWarnings,
  type OtpWarnings,
  type TokenReading,
  type YubicoOtp,
} from './yubico-otp.ts'

/** A valid OTP, to be used up by `consume` and `useUp`. */
export interface ExaminedOtp extends Advance {
  readonly deviceId: number
  readonly userId: number | null
  /** Anything unusual about the OTP although it is valid; nearly always empty. */
  readonly warnings: OtpWarnings
  /** False for an OTP that the keeper knows to be used. */
  readonly isFresh: boolean
  readonly state: OtpState
  readonly shown: ShownOtp
}

/** The same for a hardware token, with the fields of its block. */
export interface ExaminedToken extends ExaminedOtp {
  readonly reading: TokenReading
  /** The encrypted block as it was sent. */
  readonly block: Buffer
}

export interface Otps {
  /**
   * Has the keeper check an OTP against all devices of the user that may have made it; undefined where it is wrong for
   * any reason. An unknown user (undefined) costs about as much as a known one. Null checks hardware tokens without a
   * holder.
   */
  examine(
    reader: Reader,
    userId: number | null | undefined,
    kind: OtpKind,
    otp: string,
  ): Promise<ExaminedOtp | undefined>
  /**
   * The same for the hardware token that the OTP names, if its holder may log in. An unknown token costs about as much
   * as a known one.
   */
  examineToken(reader: Reader, otp: YubicoOtp): Promise<ExaminedToken | undefined>
  /** The same for a code of this device; undefined where it is wrong or was used before. */
  examineCodeOf(device: OtpDevice, code: string): Promise<ExaminedOtp | undefined>
  /**
   * Calls `use` with the present sealed record of the holder of the token; undefined without a holder. Once more where the
   * holder was changed meanwhile.
   */
  withHolder<T>(reader: Reader, token: ExaminedToken, use: (holder: SealedRecord) => Promise<T>): Promise<T | undefined>
  /**
   * Uses the OTP up in the database: true for exactly one of any number of calls with the same OTP, on all machines.
   */
  consume(tx: Tx, otp: ExaminedOtp): Promise<boolean>
  /**
   * Uses the OTP up in the keeper of this machine, so that no change of the database can undo it: true for exactly one
   * of any number of calls with the same OTP. Undefined costs about as much.
   */
  useUp(otp: ExaminedOtp | undefined): Promise<boolean>
}

/** Alarms for the operator about a device whose OTP is refused. */
export type OtpAlarm = 'otp.clock_back' | 'otp.worn_out'

export interface OtpDependencies {
  readonly hsm: Pick<Hsm, 'checkOtp' | 'useOtp'>
  readonly clock: Clock
  readonly rules: DriftRules
  /** The enabled second factors. `hwkey_otp` includes HOTP. */
  readonly enabledTypes: readonly string[]
  /** Resolves once the alarm is on the disk. */
  readonly alarm: (alarm: OtpAlarm, device: OtpDevice) => Promise<void>
}

export function createOtps(dependencies: OtpDependencies): Otps {
  const { hsm } = dependencies
  const examineCode = createCodeExamination(dependencies)
  const examineBlock = createBlockExamination(dependencies)

  /**
   * Examines the OTP of a hardware token of this user. Null: a token without a holder. Undefined: there is no such
   * user.
   */
  async function examineHeld(
    reader: Reader,
    userId: number | null | undefined,
    otp: YubicoOtp,
  ): Promise<ExaminedToken | undefined> {
    const device = await findByPublicId(reader, otp.publicId)
    return examineBlock(device !== null && device.userId === userId ? { device } : undefined, otp)
  }

  return {
    async examine(reader, userId, kind, otp) {
      if (kind !== 'hwkey_otp' || codeForm.test(otp)) return examineCode(reader, userId ?? undefined, otp)
      const parsed = parseOtp(otp)
      return parsed && examineHeld(reader, userId, parsed)
    },

    examineToken(reader, otp) {
      // The holder may have changed after the row was read.
      return retryOvertaken(async () => examineBlock(await findHeld(reader, otp.publicId), otp))
    },

    withHolder: (reader, { userId }, use) =>
      retryOvertaken(async () => {
        const holder = userId === null ? null : await findUserById(reader, userId)
        return holder === null ? undefined : use(sealedUser(holder))
      }),

    async examineCodeOf(device, code) {
      if (!codeForm.test(code)) return undefined
      const verdict = await hsm.checkOtp([stateOf(device)], { code })
      return verdict.outcome === 'good' ? examined(device, { code }, verdict, dependencies.clock.now()) : undefined
    },

    consume: async (tx, otp) => otp.isFresh && (await advanceCounter(tx, otp.deviceId, otp.userId, otp)),

    async useUp(otp) {
      if (otp !== undefined) return (await hsm.useOtp([otp.state], otp.shown)).outcome === 'good'
      await hsm.useOtp([], noOtp)
      return false
    },
  }
}

/** An OTP of no device, checked only to spend the same time. */
export const noOtp: ShownOtp = { block: Buffer.alloc(16) }

/** No user has this id. It is looked up for an unknown user, to spend the same time. */
const unknownUserId = -1

/** The result of an OTP for the row of its device, by the keeper's verdict. */
function examined(device: OtpDevice, shown: ShownOtp, verdict: OtpVerdict, now: number): ExaminedOtp {
  const { outcome, counter, driftSteps } = verdict
  return {
    deviceId: device.id,
    userId: device.userId,
    counter,
    driftSteps,
    ticks: null,
    usedAt: now,
    warnings: {},
    isFresh: outcome === 'good',
    state: stateOf(device),
    shown,
  }
}

/** Tries a code of 6 to 8 digits on every code device of a user. */
function createCodeExamination({ hsm, clock, rules, enabledTypes, alarm }: OtpDependencies) {
  const kinds: DeviceKind[] = [
    ...(enabledTypes.includes('totp') ? ['totp' as const] : []),
    ...(enabledTypes.includes('hwkey_otp') ? ['hotp' as const] : []),
  ]

  async function examine(reader: Reader, userId: number, code: string): Promise<ExaminedOtp | undefined> {
    const holder = await findUserById(reader, userId)
    const devices = provenDevices(holder ?? noFactors, await devicesOf(reader, userId, ...kinds))
    const now = clock.now()
    for (const device of devices)
      if (device.kind === 'totp' && clockWentBack(device, now, rules)) await alarm('otp.clock_back', device)
    const verdict = await hsm.checkOtp(devices.map(stateOf), { code }, holder ? sealedUser(holder) : undefined)
    const device = devices[verdict.at]
    return device && examined(device, { code }, verdict, now)
  }

  return async (reader: Reader, userId: number | undefined, code: string): Promise<ExaminedOtp | undefined> =>
    codeForm.test(code) ? retryOvertaken(() => examine(reader, userId ?? unknownUserId, code)) : undefined
}

const noFactors = { factors: Buffer.alloc(0) }

/** A device, and the user whose second factor it has to be, unless the login checks that itself. */
type KnownDevice = Pick<HeldDevice, 'device'> & Partial<HeldDevice>

/** Has the block of a hardware token decrypted and checks its fields. Does the same work without a device. */
function createBlockExamination({ hsm, clock, alarm }: OtpDependencies) {
  return async (known: KnownDevice | undefined, { block }: YubicoOtp): Promise<ExaminedToken | undefined> => {
    const device = known?.device.privateIdCheck === null ? undefined : known?.device
    const holder = known?.holder && sealedUser(known.holder)
    const verdict = await hsm.checkOtp(device === undefined ? [] : [stateOf(device)], { block }, holder)
    if (device === undefined || verdict.outcome === 'wrong') return undefined
    const reading = readToken(verdict.reading)
    if (reading.useCounter === lastUseCounter) {
      await alarm('otp.worn_out', device)
      return undefined
    }
    const now = clock.now()
    return {
      ...examined(device, { block }, verdict, now),
      ticks: reading.timestamp,
      reading,
      block,
      warnings: tokenWarnings(device, reading, now),
    }
  }
}
