import { z } from 'zod'
import type { Clock } from '../../clock.ts'
import { Fault } from '../../fault.ts'
import { readCertificate } from '../certificates/certificate.ts'
import type { ReportProblem } from '../certificates/reloaded-file.ts'
import { createTrustAnchors } from '../certificates/trust-anchors.ts'

/** What an authenticator states about its model, in a registration with valid signatures. */
export interface Attested {
  /** `fmt` of the attestation object (WebAuthn §6.5). */
  readonly format: string
  /** `x5c` of its statement: DER certificates, that of the authenticator first. */
  readonly certificates: unknown
  /** The model (AAGUID), as a UUID in lower case. */
  readonly aaguid: string
}

/** The setting `login.webauthn.attestation`. */
export interface AttestationRules {
  /** PEM file with the accepted CAs. */
  readonly ca: string
  /** The accepted models; undefined: every model. */
  readonly aaguids?: readonly string[] | undefined
}

/** Decides which models of authenticators may be registered. */
export interface Attestation {
  /**
   * @throws Fault `passkey.make_refused` unless a CA of the file has issued the authenticator's certificate, and its
   * model is accepted
   */
  check(attested: Attested): void
}

const certificateChain = z.array(z.instanceof(Uint8Array)).min(1)

export function createAttestation({ ca, aaguids }: AttestationRules, clock: Clock, report: ReportProblem): Attestation {
  const anchors = createTrustAnchors({ clientCa: ca }, report)
  return {
    check({ format, certificates, aaguid }) {
      const chain = certificateChain.safeParse(certificates)
      const [own] = chain.data ?? []
      // Without a certificate, the statement is signed with the passkey itself, which any program can do.
      if (format !== 'packed' || own === undefined) throw new Fault('passkey.make_refused')
      if (anchors.pathOf(readCertificate(Buffer.from(own)), clock.now()) === undefined)
        throw new Fault('passkey.make_refused')
      if (aaguids !== undefined && !aaguids.includes(aaguid)) throw new Fault('passkey.make_refused')
    },
  }
}
