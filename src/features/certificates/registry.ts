import { LRUCache } from 'lru-cache'
import { grantOf } from '../../access/acting.ts'
import { mayLogIn } from '../../access/capabilities.ts'
import type { PresentedCertificate } from '../../access/caller.ts'
import type { Clock } from '../../clock.ts'
import { Fault } from '../../fault.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import { hasFactor, withFactor, withoutFactor } from '../../hsm/user-factors.ts'
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
  userExists,
  type Holder,
} from './records.ts'
import { lockedUser } from '../users/records.ts'
import type { Recoveries } from '../users/recovery.ts'
import type { Sealer } from '../users/sealed-change.ts'
import { changeUser } from '../users/user-seals.ts'
import { createPathValidator, type CertificateRules, type PathValidator } from './path-validation.ts'
import type { ReportProblem } from './reloaded-file.ts'

export interface Certificates {
  /**
   * Registers a certificate for a user, in place of the one that the user has; with that one the user's sessions end.
   * `by` is who registers it: see `Recoveries`.
   * @throws Fault `certificate.invalid`, `certificate.taken`, `user.not_found`
   */
  register(userId: number, certificate: Certificate, by: number, commit: Commit): Promise<void>
  /**
   * Ends the user's sessions as well: the holder of a lost card may have opened them.
   * @throws Fault `certificate.none`, `user.not_found`
   */
  remove(userId: number, commit: Commit): Promise<void>
  /**
   * The user's certificate, whether or not it is still valid; undefined without one.
   * @throws Fault `user.not_found`, `hsm.seal_broken`
   */
  of(userId: number): Promise<Certificate | undefined>
  /**
   * The holder of a certificate that is valid at this moment; every call checks everything anew.
   * @throws Fault `hsm.seal_broken`
   */
  identify(presented: PresentedCertificate | undefined): Promise<Identification>
  /** @throws Fault `certificate.invalid` for one that could not be used here */
  checkRegistrable(certificate: Certificate): void
  /**
   * Why a certificate that no user has is not valid at this moment, for the audit trail; undefined while it is. Every call
   * checks everything anew.
   */
  presentedReason(presented: PresentedCertificate): Promise<string | undefined>
  /**
   * Why a session that this certificate has opened must end, for the audit trail; undefined while the certificate is
   * the user's and valid. Checked once a second at most, because a session makes many calls.
   * @throws Fault `hsm.seal_broken`
   */
  rejectReason(userId: number, fingerprint: string): Promise<string | undefined>
  /** Whether this certificate is the user's, inside a transaction. */
  isRegistered(tx: Tx, userId: number, fingerprint: string): Promise<boolean>
  /** What an operator must attend to, one sentence each. */
  alarms(): string[]
}

export type Identification =
  | { readonly holder: Holder; readonly certificate: Certificate }
  /** Why there is no holder: for the audit trail, never for the client. */
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

  /** The TLS library's own verification is required as well: it checks more, such as name constraints. */
  function tlsRejectReason({ isVerified }: PresentedCertificate): string | undefined {
    return validator.requiresCa && !isVerified ? 'not verified by TLS' : undefined
  }

  async function registered(fingerprint: string): Promise<Holder | undefined> {
    const holder = await findHolder(store.read, fingerprint)
    // The seal covers the DER: a changed fingerprint column alone deceives no reader.
    if (holder !== undefined) await hsm.verify(sealedRecord(holder))
    return holder
  }

  return {
    ...createRegistration(dependencies, validator),

    async of(userId) {
      const row = await certificateOf(store.read, userId)
      if (row === null) {
        if (await userExists(store.read, userId)) return undefined
        throw new Fault('user.not_found')
      }
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

/** A certificate is a factor of its user, who is locked while it comes and goes. */
function createRegistration(
  { hsm, clock, endSessions, recoveries }: CertificateDependencies,
  validator: Pick<PathValidator, 'checkRegistrable'>,
): Pick<Certificates, 'register' | 'remove'> {
  return {
    async register(userId, certificate, by, commit) {
      validator.checkRegistrable(certificate)
      const { fingerprint, der } = certificate
      const record = certificateRecord({ userId, fingerprint, der })
      await commit(async (tx) => {
        const user = await lockedUser(tx, userId)
        if (await isTakenByAnother(tx, fingerprint, userId)) throw new Fault('certificate.taken')
        const seal = await hsm.seal(record, undefined, undefined, await grantOf(tx))
        if (!hasFactor(user.factors, record)) {
          const before = await certificateOf(tx, userId)
          if (before !== null) await endSessions(tx, userId)
          await recoveries.note(tx, userId, by, ({ factors }) => {
            const left = before === null ? factors : withoutFactor(factors, certificateRecord(before))
            return { factors: withFactor(left, record) }
          })
        }
        await replaceCertificate(tx, { userId, fingerprint, der, seal, createdAt: clock.now() })
      })
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

/** What the audit trail calls a certificate. */
export const labelOf = (fingerprint: string): string => `certificate ${fingerprint.slice(0, 16)}`

const rejected = (rejectReason: string): Identification => ({ holder: undefined, rejectReason })
