import { randomBytes } from 'node:crypto'
import pkcs11 from 'pkcs11js'
import { Fault } from '../../fault.ts'
import type { BackupSharingOptions } from './backup-sharing.ts'
import { withDirectorySync } from './directory-sync.ts'
import { privateUsage } from './key-templates.ts'
import { oaep, rsaKeyPairGen } from './mechanisms.ts'
import { makeLimited } from './object-limits.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'
import { rsaPublicKeyOf } from './public-keys.ts'
import { asSecurityOfficer, ceremonyLabel, destroyTrusted } from './security-officer.ts'
import { lastingTemplate } from './token-objects.ts'
import { type OpenToken, withToken } from './token-opening.ts'
import { knownPin, type UserPin } from './user-pin.ts'

// The receiver's side of a ceremony. Until it ends the token has a PIN that no person knows, because an attacker with
// the PIN could read keys unwrapped by the pair. Each step sets another random PIN, so that no PIN has to be stored.

/** The private half of the ceremony's key pair. */
export interface CeremonyKey {
  readonly key: KeyHandle
  readonly id: Buffer
}

/** Gives the token another random PIN, which `work` logs in with. Needs the SO PIN. The PIN stays when this returns. */
export function withOtherPin<T>(options: BackupSharingOptions, work: (token: OpenToken, pin: UserPin) => T): T {
  const text = randomBytes(24).toString('base64url')
  const pin = knownPin(text, (login) => options.pin.alone(login))
  return withDirectorySync(options.tokenDirectory, () => {
    asSecurityOfficer(options, options.soPin, (so) => so.setPin(text))
    return withToken({ ...options, pin }, (token) => work(token, pin))
  })
}

/** Gives the token the PIN of the configuration again. Needs the SO PIN. */
export function returnPin(options: BackupSharingOptions): void {
  withDirectorySync(options.tokenDirectory, () =>
    asSecurityOfficer(options, options.soPin, (so) => so.setPin(options.pin.read())),
  )
  options.pin.wasSet()
}

/**
 * Makes the key pair of a ceremony, whose private half can only unwrap. Returns the public half (DER
 * SubjectPublicKeyInfo), which the token does not keep.
 */
export function makePair(session: Pkcs11Session): Buffer {
  const id = randomBytes(16)
  const pair = makeLimited([oaep], (limits) =>
    session.generatePair(
      rsaKeyPairGen,
      [
        { type: pkcs11.CKA_MODULUS_BITS, value: 3072 },
        { type: pkcs11.CKA_PUBLIC_EXPONENT, value: Buffer.from('010001', 'hex') },
        { type: pkcs11.CKA_TOKEN, value: false },
      ],
      [
        ...lastingTemplate(ceremonyLabel, id),
        ...privateUsage({ decrypt: false, sign: false, unwrap: true }),
        ...limits,
      ],
    ),
  )
  return rsaPublicKeyOf(session, pair.publicKey)
}

/** @throws Fault `hsm.rejected` unless exactly one ceremony is open on the token */
export function ceremonyKey(session: Pkcs11Session): CeremonyKey {
  const [key, another] = session.find([
    { type: pkcs11.CKA_CLASS, value: pkcs11.CKO_PRIVATE_KEY },
    { type: pkcs11.CKA_LABEL, value: ceremonyLabel },
  ])
  const id = key && session.attributes(key, [pkcs11.CKA_ID])[0]
  if (key === undefined || id === undefined || another !== undefined)
    throw new Fault(
      'hsm.rejected',
      'No ceremony is open on this token: begin one with "strongroom backup-keys invite". If "adopt" was interrupted, the keys are here, and "strongroom backup-keys adopt --abandon" gives the token its PIN back.',
    )
  return { key, id }
}

/** Destroys the ceremony's key pair, and all trusted keys. */
export function destroyCeremony(session: Pkcs11Session): void {
  destroyPair(session)
  destroyTrusted(session)
}

/** The pair of this ceremony, or of an interrupted one. */
export function destroyPair(session: Pkcs11Session): void {
  for (const handle of session.find([{ type: pkcs11.CKA_LABEL, value: ceremonyLabel }])) session.destroy(handle)
}
