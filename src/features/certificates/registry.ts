import { LRUCache } from 'lru-cache'
import { mayLogIn } from '../../access/capabilities.ts'
import type { PresentedCertificate } from '../../access/caller.ts'
import type { Clock } from '../../clock.ts'
import { Fault } from '../../fault.ts'
import type { Hsm } from '../../hsm/hsm.ts'
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
import { lockUser } from '../users/records.ts'
import { createScrutiny, type CertificateRules } from './scrutiny.ts'
import type { ReportProblem } from './watched-file.ts'

export interface Certificates {
  /**
   * Registers a certificate for a user, in place of the one that the user has; with that one the user's sessions end.
   * @throws Fault `certificate.invalid`, `certificate.taken`, `user.not_found`
   */
  register(userId: number, certificate: Certificate, commit: Commit): Promise<void>
  /** The user's sessions end with it: whoever has the card may have opened them. @throws Fault `certificate.none`, `user.not_found` */
  remove(userId: number, commit: Commit): Promise<void>
  /** The user's certificate, whether or not it is still good; undefined without one. @throws Fault `user.not_found`, `hsm.seal_broken` */
  of(userId: number): Promise<Certificate | undefined>
  /** Whose certificate this is, if it is good at this moment; everything is looked at anew each time. @throws Fault `hsm.seal_broken` */
  identify(presented: PresentedCertificate | undefined): Promise<Identification>
  /**
   * Why a session that this certificate has opened must end, for the audit trail; undefined while it is the user's and good. Looked at
   * once a second at most: a session makes many calls.
   * @throws Fault `hsm.seal_broken`
   */
  doubt(userId: number, fingerprint: string): Promise<string | undefined>
  /** Whether this certificate is the user's at this moment of a transaction. */
  isRegistered(tx: Tx, userId: number, fingerprint: string): Promise<boolean>
  /** What an operator must see to, one sentence each. */
  alarms(): string[]
}

export type Identification =
  | { readonly holder: Pick<Holder, 'userId' | 'username'>; readonly certificate: Certificate }
  /** Why there is no holder: for the audit trail, never for the caller. */
  | { readonly holder: undefined; readonly refusal: string }

/** How long a worker remembers that the certificate of a session was good. */
const goodForMs = 1_000

export interface CertificateDependencies {
  readonly store: Store
  readonly hsm: Pick<Hsm, 'seal' | 'verify'>
  readonly clock: Clock
  readonly rules: CertificateRules
  readonly endSessions: (tx: Tx, userId: number) => Promise<unknown>
  readonly report: ReportProblem
}

export function createCertificates(dependencies: CertificateDependencies): Certificates {
  const { store, hsm, clock, rules, endSessions, report } = dependencies
  const scrutiny = createScrutiny(rules, clock, report)
  const foundGood = new LRUCache<string, number>({ max: 10_000 })

  /** The TLS library's own judgement comes on top: it checks what nothing here does, such as name constraints. */
  function doubtByTls({ isVerified }: PresentedCertificate): string | undefined {
    return scrutiny.asksForCa && !isVerified ? 'not verified by TLS' : undefined
  }

  async function registered(fingerprint: string): Promise<Holder | undefined> {
    const holder = await findHolder(store, fingerprint)
    // The seal covers the DER, so the fingerprint is not only what a column says.
    if (holder !== undefined) await hsm.verify(sealedRecord(holder))
    return holder
  }

  return {
    async register(userId, certificate, commit) {
      scrutiny.checkRegistrable(certificate)
      const { fingerprint, der } = certificate
      const seal = await hsm.seal(certificateRecord({ userId, fingerprint, der }))
      await commit(async (tx) => {
        if (!(await lockUser(tx, userId))) throw new Fault('user.not_found')
        if (await isTakenByAnother(tx, fingerprint, userId)) throw new Fault('certificate.taken')
        const before = await certificateOf(tx, userId)
        if (before !== null && before.fingerprint !== fingerprint) await endSessions(tx, userId)
        await replaceCertificate(tx, { userId, fingerprint, der, seal, createdAt: clock.now() })
      })
    },

    async remove(userId, commit) {
      await commit(async (tx) => {
        if (!(await lockUser(tx, userId))) throw new Fault('user.not_found')
        if (!(await deleteCertificate(tx, userId))) throw new Fault('certificate.none')
        await endSessions(tx, userId)
      })
    },

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
      if (presented === undefined) return refused('none presented')
      const fingerprint = fingerprintOf(presented.der)
      const name = labelOf(fingerprint)
      const holder = await registered(fingerprint)
      if (holder === undefined) return refused(`${name}: not registered`)
      if (!holder.der.equals(presented.der)) throw new Fault('hsm.seal_broken')
      if (!mayLogIn(holder.capabilities)) return refused(`${name}: of a user who may not log in`)
      const certificate = readCertificate(holder.der)
      const refusal = (await scrutiny.doubt(certificate)) ?? doubtByTls(presented)
      return refusal === undefined ? { holder, certificate } : refused(`${name}: ${refusal}`)
    },

    async doubt(userId, fingerprint) {
      const session = `${userId} ${fingerprint}`
      if (Math.abs(clock.now() - (foundGood.get(session) ?? 0)) < goodForMs) return undefined
      const holder = await registered(fingerprint)
      const doubt = holder?.userId === userId ? await scrutiny.doubt(readCertificate(holder.der)) : 'not registered'
      if (doubt !== undefined) return `${labelOf(fingerprint)}: ${doubt}`
      foundGood.set(session, clock.now())
      return undefined
    },

    isRegistered: async (tx, userId, fingerprint) => (await certificateOf(tx, userId))?.fingerprint === fingerprint,

    alarms: () => scrutiny.alarms(),
  }
}

/** What the audit trail calls a certificate. */
export const labelOf = (fingerprint: string): string => `certificate ${fingerprint.slice(0, 16)}`

const refused = (refusal: string): Identification => ({ holder: undefined, refusal })
