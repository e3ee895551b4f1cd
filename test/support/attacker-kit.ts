import { randomBytes } from 'node:crypto'
import { sessionTokenHash } from '../../src/access/session-token-form.ts'
import { deviceRecord } from '../../src/features/otp/records.ts'
import { seedText } from '../../src/features/otp/otpauth-uri.ts'
import type { User } from '../../src/features/users/records.ts'
import type { Hsm, SealedRecord } from '../../src/hsm/hsm.ts'
import type { BegunSession, OnceShown } from '../../src/hsm/login-request.ts'
import { otpPurpose } from '../../src/hsm/provenance.ts'
import { composeRecord } from '../../src/hsm/record-layouts.ts'
import type { TestAppliance } from './appliance.ts'
import { hotpCodes } from './hardware-token.ts'

/** A device whose seed the attacker knows. */
export interface AttackerDevice {
  readonly sealed: SealedRecord
  /** Its next code, in the form that a worker shows to the keeper. */
  readonly factor: () => OnceShown
}

/** Makes the keeper seal such a device for this user, or for the stock. */
export async function attackerDevice(
  worker: Pick<Hsm, 'importSecret' | 'seal'>,
  userId: number | null,
  grant?: SealedRecord,
): Promise<AttackerDevice> {
  const seed = randomBytes(20)
  const text = seedText(seed)
  const { provenance, ...wrapped } = await worker.importSecret('otp-hmac-sha1', seed, otpPurpose)
  const codes = { kind: 'hotp', keyKind: 'otp-hmac-sha1', digits: 6, periodSeconds: null } as const
  const record = deviceRecord({ ...codes, ...wrapped, publicId: null, userId, privateIdCheck: null })
  const device = { record, seal: await worker.seal(record, { provenance, grant }) }
  let counter = 0
  return {
    sealed: device,
    factor() {
      const [code = ''] = hotpCodes(text, counter)
      return { certificate: undefined, devices: [{ device, counter: counter++, driftSteps: 0 }], otp: { code } }
    },
  }
}

/** The record of a session that the keeper began, composed as a worker does. */
export async function begunSession(
  { services, applicationKey }: Pick<TestAppliance, 'services' | 'applicationKey'>,
  { identity, recoveries }: Pick<User, 'identity' | 'recoveries'>,
  { token, seal, ...begun }: BegunSession,
): Promise<{ readonly token: string; readonly session: SealedRecord }> {
  const key = await services.applicationKeys.find(applicationKey)
  if (key === undefined) throw new Error('no application key')
  const of = { user: identity, applicationKey: key.identity, recoveries, certificate: null }
  const { identity: session, createdAt, expiresAt } = begun
  const times = { identity: session, createdAt, expiresAt }
  return {
    token,
    session: { record: composeRecord('session', { ...times, ...of, tokenHash: sessionTokenHash(token) }), seal },
  }
}
