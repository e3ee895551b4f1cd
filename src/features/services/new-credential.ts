import { randomBytes } from 'node:crypto'
import { Fault } from '../../fault.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import { checkPublicJwk, readPublicJwk, type PublicJwk } from '../../hsm/public-jwk.ts'
import { newestOf } from '../../hsm/peppered-check.ts'
import { readCredential, sanTypes, type SanPattern, type ServiceCredential } from '../../hsm/service-credential.ts'
import type { Certificate } from '../certificates/certificate.ts'
import type { Certificates } from '../certificates/user-certificates.ts'

/** Kinds of subject alternative names that a credential may require. */
export const nameTypes = sanTypes

/** A requested credential, by kind. */
export type AskedCredential = {
  readonly name: string
  /** From then on it is refused. A certificate also ends at its own date. */
  readonly expiresAt: number | null
} & (
  | { readonly kind: 'certificate'; readonly certificate: Certificate }
  | { readonly kind: 'ca'; readonly certificate: Certificate; readonly san: SanPattern }
  | { readonly kind: 'jwt'; readonly publicKey: unknown; readonly kid: string | null }
  | { readonly kind: 'federated'; readonly issuer: string; readonly claims: Readonly<Record<string, string>> }
  | { readonly kind: 'static' }
)

export interface MadeCredential {
  readonly credential: ServiceCredential
  /** The key of a static credential: shown once, kept nowhere. */
  readonly key: string | undefined
}

export interface CredentialMakerDependencies {
  readonly hsm: Pick<Hsm, 'applicationKeyChecks'>
  readonly certificates: Pick<Certificates, 'checkRegistrable'>
  readonly allowStatic: boolean
  /** The issuers of the configuration. */
  readonly issuers: readonly string[]
}

/** Makes the requested credential. @throws Fault `service.invalid`, `certificate.invalid` */
export type MakeCredential = (asked: AskedCredential, now: number) => Promise<MadeCredential>

export function createCredentialMaker(on: CredentialMakerDependencies): MakeCredential {
  const { hsm, certificates, allowStatic, issuers } = on
  /** The fields of each kind, and the end that the credential has by itself. */
  async function fieldsOf(asked: AskedCredential): Promise<{ fields: object; end?: number; key?: string }> {
    if (asked.kind === 'certificate') {
      certificates.checkRegistrable(asked.certificate)
      return { fields: { sha256: asked.certificate.fingerprint }, end: asked.certificate.validTo }
    }
    if (asked.kind === 'ca') {
      if (!asked.certificate.isCa)
        throw invalid('The certificate is not of a CA: give that of the CA which issues those of the application.')
      const certificate = asked.certificate.der.toString('base64')
      return { fields: { certificate, san: asked.san }, end: asked.certificate.validTo }
    }
    if (asked.kind === 'jwt') return { fields: { publicKey: publicKeyIn(asked.publicKey), kid: asked.kid } }
    if (asked.kind === 'federated') {
      const { issuer, claims } = asked
      if (issuers.includes(issuer)) return { fields: { issuer, claims } }
      throw invalid('This issuer is not known here: the operator names it, and where its keys are, in service.issuers.')
    }
    if (!allowStatic)
      throw invalid('Static keys are turned off here: the operator turns them on by the setting service.allowStatic.')
    const key = randomBytes(staticKeyBytes).toString('base64url')
    return { fields: { check: newestOf(await hsm.applicationKeyChecks(key)).toString('base64') }, key }
  }

  return async (asked, now) => {
    const { fields, end, key } = await fieldsOf(asked)
    const { kind, name } = asked
    const ends = [asked.expiresAt, end].flatMap((one) => one ?? [])
    const expiresAt = ends.length === 0 ? null : Math.min(...ends)
    if (expiresAt !== null && expiresAt <= now) throw invalid('The credential would have ended already.')
    const id = randomBytes(8).toString('hex')
    return { credential: readable({ id, kind, name, addedAt: now, expiresAt, ...fields }), key }
  }
}

const staticKeyBytes = 32

/** @throws Fault `service.invalid` */
function publicKeyIn(jwk: unknown): PublicJwk {
  try {
    const publicKey = readPublicJwk(jwk)
    checkPublicJwk(publicKey)
    return publicKey
  } catch (cause) {
    const reason = cause instanceof TypeError ? cause.message : 'it cannot be read'
    throw new Fault('service.invalid', `This public key cannot be taken: ${reason}.`, { cause })
  }
}

/** The credential, parsed as it will be when it is read: only what can be parsed is sealed. */
function readable(raw: Readonly<Record<string, unknown>>): ServiceCredential {
  try {
    return readCredential(raw)
  } catch (cause) {
    const form =
      'its name may hold 1 to 64 letters, digits, blanks and . _ - only, what it looks for 128 characters and 8 stars at most; of claims, one at least must have another character than *'
    throw new Fault('service.invalid', `This credential cannot be added: ${form}.`, { cause })
  }
}

export const invalid = (sentence: string): Fault => new Fault('service.invalid', sentence)
