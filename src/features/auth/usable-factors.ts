import type { Clock } from '../../clock.ts'
import { hasFactor } from '../../hsm/user-factors.ts'
import type { Tx } from '../../store/store.ts'
import { readCertificate } from '../certificates/certificate.ts'
import { certificateOf, certificateRecord } from '../certificates/records.ts'
import { devicesOf, provenDevices } from '../otp/records.ts'
import { passkeyRecord, passkeysOf } from '../passkeys/records.ts'
import type { User } from '../users/records.ts'
import type { LoginType } from './credentials.ts'

/**
 * Whether the user has a second factor to log in with: of a type that is enabled, and no certificate that has expired.
 * Whether a certificate was revoked is not looked at, which takes other servers.
 */
export type HasUsableFactor = (tx: Tx, user: Pick<User, 'id' | 'factors'>) => Promise<boolean>

export function createUsableFactors({
  enabledTypes,
  clock,
}: {
  readonly enabledTypes: readonly LoginType[]
  readonly clock: Clock
}): HasUsableFactor {
  const isEnabled = (type: LoginType): boolean => enabledTypes.includes(type)

  async function hasCertificate(tx: Tx, { id, factors }: Pick<User, 'id' | 'factors'>): Promise<boolean> {
    const row = isEnabled('smartcard') ? await certificateOf(tx, id) : null
    if (row === null || !hasFactor(factors, certificateRecord(row))) return false
    return readCertificate(row.der).validTo >= clock.now()
  }

  return async (tx, user) => {
    const devices = provenDevices(user, await devicesOf(tx, user.id))
    if (devices.some(({ kind }) => isEnabled(kind === 'totp' ? 'totp' : 'hwkey_otp'))) return true
    const passkeys = isEnabled('webauthn') ? await passkeysOf(tx, user.id) : []
    if (passkeys.some((passkey) => hasFactor(user.factors, passkeyRecord(passkey)))) return true
    return hasCertificate(tx, user)
  }
}
