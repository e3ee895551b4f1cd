import { LRUCache } from 'lru-cache'
import { transactionGrant } from '../../access/transaction-grant.ts'
import { mayLogIn } from '../../access/capabilities.ts'
import type { PresentedCertificate } from '../../access/caller.ts'
import type { Clock } from '../../clock.ts'
import { Fault } from '../../fault.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import { hasFactor, withFactor, withoutFactor } from '../../hsm/user-factors.ts'
import { retryOvertaken } from '../../store/overtaken.ts'
import type { Commit, Store, Tx } from '../../store/store.ts'
import { fingerprintOf, readCertificate, type Certificate } from './certificate.ts'
import {
  certificateOf,
  certificateRecord,
  deleteCertificate,
  findHolder,
  isTakenByAnother,
  replaceCertificate,
  sealedRecord,
  type Holder,
} from './records.ts'
import { lockedUser, personById } from '../users/records.ts'
import type { Recoveries } from '../users/recovery.ts'
import type { Sealer } from '../users/sealed-change.ts'
import { changeUser } from '../users/user-seals.ts'
import { createPathValidator, type CertificateRules, type PathValidator } from './path-validation.ts'
import type { ReportProblem } from './reloaded-file.ts'

export interface Certificates {
  /**
   * Registers a certificate for a user. It replaces the user's present one, and the sessions opened with that one end.
   * `by` is who registers it: see `Recoveries`.
   * @throws Fault `certificate.invalid`, `certificate.taken`, `user.not_found`
   */
  register(userId: number, certificate: Certificate, by: number, commit: Commit): Promise<void>
  /**
   * Removes the certificate and ends the user's sessions, since the finder of a lost card may have opened them.
   * @throws Fault `certificate.none`, `user.not_found`
   */
  remove(userId: number, commit: Commit): Promise<void>
  /** The user's certificate, valid or not; undefined without one. @throws Fault `user.not_found`, `hsm.seal_broken` */
  of(userId: number): Promise<Certificate | undefined>
  /**
   * The user whose certificate this is, provided it is valid at this moment. Every call repeats all checks.
   * @throws Fault `hsm.seal_broken`
   */
  identify(presented: PresentedCertificate | undefined): Promise<Identification>
  /** @throws Fault `certificate.invalid` for a certificate that could not be used here */
  checkRegistrable(certificate: Certificate): void
  /**
   * Why a certificate that is registered to no user is not valid at this moment, for the audit trail; undefined while
   * it is valid. Every call repeats all checks.
   */
  presentedReason(presented: PresentedCertificate): Promise<string | undefined>
  /**
   * Why the sessions opened with this certificate must end, for the audit trail; undefined while it is the user's and
   * valid. Checked at most once a second, because a session makes many calls.
   * @throws Fault `hsm.seal_broken`
   */
  rejectReason(userId: number, fingerprint: string): Promise<string | undefined>
  /** Whether the certificate is registered to the user, within a transaction. */
  isRegistered(tx: Tx, userId: number, fingerprint: string): Promise<boolean>
  /** Conditions that an operator must attend to, one sentence each. */
  alarms(): string[]
}

export type Identification =
  | { readonly holder: Holder; readonly certificate: Certificate }
  /** The reason is for the audit trail only, never for the client. */
  | { readonly holder: undefined; readonly rejectReason: string }

/** How long a worker remembers that the certificate of a session was valid. */
const validForMs = 1_000

export interface CertificateDependencies {
  readonly store: Store
  readonly hsm: Sealer & Pick<Hsm, 'verify'>
  readonly clock: Clock
  readonly rules: CertificateRules
  readonly endSessions: (tx: Tx, userId: number) => Promise<unknown>
  readonly recoveries: Pick<Recoveries, 'note'>
  readonly report: ReportProblem
}

export function createCertificates(dependencies: CertificateDependencies): Certificates {
  const { store, hsm, clock, rules, report } = dependencies
  const validator = createPathValidator(rules, clock, report)
  const foundValid = new LRUCache<string, number>({ max: 10_000 })

  /** The TLS library's verification is required in addition, since it checks more, such as name constraints. */
  function tlsRejectReason({ isVerified }: PresentedCertificate): string | undefined {
    return validator.requiresCa && !isVerified ? 'not verified by TLS' : undefined
  }

  async function registered(fingerprint: string): Promise<Holder | undefined> {
    const holder = await findHolder(store.read, fingerprint)
    // The seal covers the DER, so that an edited fingerprint column alone has no effect.
    if (holder !== undefined) await hsm.verify(sealedRecord(holder))
    return holder
  }

  return {
    ...createRegistration(dependencies, validator),

    async of(userId) {
      await personById(store.read, userId)
      const row = await certificateOf(store.read, userId)
      if (row === null) return undefined
      await hsm.verify(sealedRecord(row))
      return readCertificate(row.der)
    },

    async identify(presented) {
      if (presented === undefined) return rejected('none presented')
      const fingerprint = fingerprintOf(presented.der)
      const name = labelOf(fingerprint)
      const holder = await registered(fingerprint)
      if (holder === undefined) return rejected(`${name}: not registered`)
      if (!holder.der.equals(presented.der)) throw new Fault('hsm.seal_broken')
      if (!mayLogIn(holder.capabilities)) return rejected(`${name}: of a user who may not log in`)
      const certificate = readCertificate(holder.der)
      const rejectReason = (await validator.rejectReason(certificate)) ?? tlsRejectReason(presented)
      return rejectReason === undefined ? { holder, certificate } : rejected(`${name}: ${rejectReason}`)
    },

    checkRegistrable: (certificate) => validator.checkRegistrable(certificate),

    async presentedReason(presented) {
      const certificate = readShown(presented.der)
      if (certificate === undefined) return 'a certificate that cannot be read'
      const reason = (await validator.rejectReason(certificate)) ?? tlsRejectReason(presented)
      return reason === undefined ? undefined : `${labelOf(certificate.fingerprint)}: ${reason}`
    },

    async rejectReason(userId, fingerprint) {
      const session = `${userId} ${fingerprint}`
      if (Math.abs(clock.now() - (foundValid.get(session) ?? 0)) < validForMs) return undefined
      const holder = await registered(fingerprint)
      const reason =
        holder?.userId === userId ? await validator.rejectReason(readCertificate(holder.der)) : 'not registered'
      if (reason !== undefined) return `${labelOf(fingerprint)}: ${reason}`
      foundValid.set(session, clock.now())
      return undefined
    },

    isRegistered: async (tx, userId, fingerprint) => (await certificateOf(tx, userId))?.fingerprint === fingerprint,

    alarms: () => validator.alarms(),
  }
}

function readShown(der: Buffer): Certificate | undefined {
  try {
    return readCertificate(der)
  } catch {
    return undefined
  }
}

/** Registers and removes certificates. A certificate is a second factor of its user, whose row is locked meanwhile. */
function createRegistration(
  { hsm, clock, endSessions, recoveries }: CertificateDependencies,
  validator: Pick<PathValidator, 'checkRegistrable'>,
): Pick<Certificates, 'register' | 'remove'> {
  return {
    async register(userId, certificate, by, commit) {
      validator.checkRegistrable(certificate)
      const { fingerprint, der } = certificate
      const record = certificateRecord({ userId, fingerprint, der })
      // Of two users who are given one certificate at the same time, the later one finds at the second try that it is taken.
      const register = async (tx: Tx): Promise<void> => {
        const user = await lockedUser(tx, userId)
        if (await isTakenByAnother(tx, fingerprint, userId)) throw new Fault('certificate.taken')
        const seal = await hsm.seal(record, { grant: await transactionGrant(tx) })
        if (!hasFactor(user.factors, record)) {
          const before = await certificateOf(tx, userId)
          if (before !== null) await endSessions(tx, userId)
          await recoveries.note(tx, userId, by, ({ factors }) => {
            const left = before === null ? factors : withoutFactor(factors, certificateRecord(before))
            return { factors: withFactor(left, record) }
          })
        }
        await replaceCertificate(tx, { userId, fingerprint, der, seal, createdAt: clock.now() })
      }
      await retryOvertaken(() => commit(register))
    },

    async remove(userId, commit) {
      await commit(async (tx) => {
        const user = await lockedUser(tx, userId)
        const before = await certificateOf(tx, userId)
        if (before === null || !(await deleteCertificate(tx, userId))) throw new Fault('certificate.none')
        await changeUser(hsm, tx, user, { factors: withoutFactor(user.factors, certificateRecord(before)) })
        await endSessions(tx, userId)
      })
    },
  }
}

/** The name of a certificate in the audit trail. */
export const labelOf = (fingerprint: string): string => `certificate ${fingerprint.slice(0, 16)}`

const rejected = (rejectReason: string): Identification => ({ holder: undefined, rejectReason })
