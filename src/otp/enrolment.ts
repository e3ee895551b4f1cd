import { generateTOTP } from '@otplib/uri'
import { base32nopad } from '@scure/base'
import type { Clock } from '../clock.ts'
import { Fault } from '../fault.ts'
import type { Hsm, KeyKind } from '../hsm/hsm.ts'
import type { Commit, Tx } from '../store/store.ts'
import { privateIdCheck } from './otp.ts'
import { deviceRecord, devicesOf, findByPublicId, insertDevice, readoptDevice, type OtpDevice } from './records.ts'
import { isPublicId } from './yubico.ts'

export interface TotpEnrolment {
  readonly device: OtpDevice
  /** otpauth URI with the seed: shown once, kept nowhere. */
  readonly uri: string
  /** The seed in base32, for typing. */
  readonly secret: string
}

export interface HardwareToken {
  /** 12 modhex characters: the constant beginning of its OTPs. */
  readonly publicId: string
  /** 6 bytes. */
  readonly privateId: Buffer
  /** 16 bytes. */
  readonly secret: Buffer
}

export interface Enrolments {
  /** Makes a seed of 160 bits in the token for a user's authenticator app (SHA-1, 6 digits, 30 s: what every app reads). */
  enrolTotp(user: { id: number; username: string }, commit: Commit): Promise<TotpEnrolment>
  /**
   * Registers a hardware token for a user, and zeroes the secrets it was given. One that the appliance has known
   * before keeps its counter, so that no OTP it made then is good again.
   * @throws Fault `otp.device_invalid`, `otp.device_exists`, `otp.device_limit`
   */
  enrolHardwareToken(userId: number, token: HardwareToken, commit: Commit): Promise<OtpDevice>
}

/** Spec: Limits, "Hardware-token ids per user: at most 3". */
const hardwareTokensPerUser = 3
const totpSeedBytes = 20
const issuer = 'Strongroom'

export interface EnrolmentDependencies {
  readonly hsm: Pick<Hsm, 'random' | 'importSecret' | 'pepper' | 'seal'>
  readonly clock: Clock
}

type Unsealed = Omit<OtpDevice, 'id' | 'seal' | 'counter' | 'createdAt'>

export function createEnrolments({ hsm, clock }: EnrolmentDependencies): Enrolments {
  const sealed = async (device: Unsealed) => ({ ...device, seal: await hsm.seal(deviceRecord(device)) })

  async function wrapped(keyKind: KeyKind, secret: Buffer): Promise<{ keyKind: KeyKind; kek: string; blob: Buffer }> {
    try {
      return { keyKind, ...(await hsm.importSecret(keyKind, secret)) }
    } finally {
      secret.fill(0)
    }
  }

  return {
    async enrolTotp(user, commit) {
      const seed = await hsm.random(totpSeedBytes)
      const secret = base32nopad.encode(seed)
      const key = await wrapped('otp-hmac-sha1', seed)
      const row = await sealed({
        ...key,
        kind: 'totp',
        publicId: null,
        userId: user.id,
        privateIdCheck: null,
        digits: 6,
        periodSeconds: 30,
      })
      const device = await commit((tx) => insertDevice(tx, { ...row, counter: 0, createdAt: clock.now() }))
      return { device, secret, uri: generateTOTP({ issuer, label: user.username, secret }) }
    },

    async enrolHardwareToken(userId, token, commit) {
      checkToken(token)
      const check = await privateIdCheck(hsm, token.privateId)
      token.privateId.fill(0)
      const key = await wrapped('otp-aes128', token.secret)
      const row = await sealed({
        ...key,
        kind: 'hwkey_otp',
        publicId: token.publicId,
        userId,
        privateIdCheck: check,
        digits: null,
        periodSeconds: null,
      })
      return commit(async (tx) => {
        await checkLimit(tx, userId)
        const known = await findByPublicId(tx, token.publicId)
        if (known === null) return insertDevice(tx, { ...row, counter: 0, createdAt: clock.now() })
        if (!(await readoptDevice(tx, known.id, row)))
          throw new Fault('otp.device_exists', `The hardware token ${token.publicId} is registered already.`)
        return { ...known, ...row }
      })
    },
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

async function checkLimit(tx: Tx, userId: number): Promise<void> {
  const held = await devicesOf(tx, userId, 'hwkey_otp')
  if (held.length >= hardwareTokensPerUser)
    throw new Fault('otp.device_limit', `A user may hold ${hardwareTokensPerUser} hardware tokens at most.`)
}
