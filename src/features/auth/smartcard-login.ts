import type { PresentedCertificate } from '../../access/caller.ts'
import type { Certificate } from '../certificates/certificate.ts'
import { sealedRecord } from '../certificates/records.ts'
import { labelOf, type Certificates } from '../certificates/user-certificates.ts'
import type { Clock } from '../../clock.ts'
import type { Sentences } from './login-advice.ts'
import type { PresentedCard } from './credentials.ts'

export interface ReadCard {
  /** Undefined where no certificate was presented, or it is not valid at this moment. */
  readonly card: PresentedCard | undefined
  /** For the audit trail: the label of the card, or why it is rejected. */
  readonly target: string
}

/** Reads the certificate that was presented with a login. */
export type CardReader = (presented: PresentedCertificate | undefined) => Promise<ReadCard>

/** The user is warned at login when the card expires within this time: 30 days. */
const warningMs = 2_592_000_000

export function createCardReader(
  certificates: Pick<Certificates, 'identify' | 'isRegistered'>,
  clock: Clock,
): CardReader {
  return async (presented) => {
    const found = await certificates.identify(presented)
    if (found.holder === undefined) return { card: undefined, target: found.rejectReason }
    const { holder, certificate } = found
    const { userId } = holder
    const { fingerprint } = certificate
    const card: PresentedCard = {
      userId,
      fingerprint,
      sealed: sealedRecord(holder),
      warnings: warningsOn(certificate, clock.now()),
      isStillHeld: (tx) => certificates.isRegistered(tx, userId, fingerprint),
    }
    return { card, target: labelOf(fingerprint) }
  }
}

function warningsOn({ validTo }: Certificate, now: number): Sentences {
  if (validTo - now > warningMs) return {}
  const day = new Date(validTo).toISOString().slice(0, 10)
  return { certificate_expiry: `The certificate of your smartcard expires on ${day}: ask for a new one.` }
}

/** Warnings for administrators: revocation lists that are missing, expired, or about to expire. */
export function revocationWarnings(certificates: Pick<Certificates, 'alarms'>): Sentences {
  const alarms = certificates.alarms()
  return alarms.length === 0 ? {} : { crl: alarms.join(' ') }
}
