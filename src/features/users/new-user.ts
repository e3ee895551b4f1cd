import { createHash } from 'node:crypto'
import type { Capabilities } from '../../access/capabilities.ts'
import type { Clock } from '../../clock.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { Commit } from '../../store/store.ts'
import { checkCapabilities } from './capability-rules.ts'
import { checkFields } from './fields.ts'
import { checkNameFree, unlessTaken } from './names.ts'
import type { Passphrases } from './passphrase.ts'
import { passphraseColumns } from './passphrase-records.ts'
import { insertUser, type User } from './records.ts'
import type { SecondFactors } from './second-factors.ts'

export interface NewUser {
  readonly username: string
  readonly fullname: string
  readonly email: string
  readonly capabilities: Capabilities
  readonly passphrase: string
  /** An OTP of a hardware token that the appliance knows and nobody holds: the user gets that token. */
  readonly hardwareOtp?: string | undefined
  /** Whether to make a seed for an authenticator app. */
  readonly totp?: boolean | undefined
}

export interface CreatedUser extends User {
  /** otpauth URI of the new authenticator app: shown once, kept nowhere. */
  readonly otpauth: string | undefined
}

export interface CreationDependencies {
  readonly hsm: Pick<Hsm, 'generatePair'>
  readonly passphrases: Passphrases
  readonly secondFactors: SecondFactors
  readonly clock: Clock
}

/** See `Users.create`. */
export async function createNewUser(on: CreationDependencies, user: NewUser, commit: Commit): Promise<CreatedUser> {
  checkFields(user)
  checkCapabilities(user.capabilities)
  const { username, hardwareOtp, totp } = user
  const row = await rowOf(on, user)
  return unlessTaken(username, () =>
    commit(async (tx) => {
      await checkNameFree(tx, username)
      const created = await insertUser(tx, row)
      if (hardwareOtp !== undefined) await on.secondFactors.adoptByOtp(tx, created.id, hardwareOtp)
      return { ...created, otpauth: totp ? await on.secondFactors.enrolTotp(tx, created) : undefined }
    }),
  )
}

/** What is inserted, with all that takes time: the pass phrase's hash, the pair of keys. */
async function rowOf({ hsm, passphrases, clock }: CreationDependencies, user: NewUser) {
  const { username, fullname, email, capabilities } = user
  const passphrase = await passphrases.create(user.passphrase, username)
  const pair = await hsm.generatePair('ec-p256')
  const now = clock.now()
  return {
    username,
    fullname,
    email,
    capabilities,
    ...passphraseColumns(passphrase, now),
    keyKek: pair.kek,
    keyBlob: pair.blob,
    publicKey: pair.publicKey,
    fingerprint: fingerprintOf(pair.publicKey),
    createdAt: now,
  }
}

/** 40 upper-case hexadecimal digits, the length of the OpenPGP fingerprints that clients of this API know. */
function fingerprintOf(publicKey: Buffer): string {
  return createHash('sha256').update(publicKey).digest('hex').slice(0, 40).toUpperCase()
}
