import { keyUsage, extendedKeyUsage, type Certificate } from './certificate.ts'
import { isStrongAlgorithm } from './signature.ts'

/** The reason why a certificate does not fit the profile of smartcard certificates. */
export interface ProfileViolation {
  /** For the audit trail, after `certificate …:`. */
  readonly reason: string
  /** For the administrator who registers it: a sentence with the remedy. */
  readonly advice: string
}

export interface ProfileRules {
  /** False: certificates without extended key usage are accepted. */
  readonly requireClientAuth: boolean
}

const smallestRsaBits = 2048
const largestRsaBits = 8192
const curves = ['prime256v1', 'secp384r1', 'secp521r1']

/** Checks the certificate itself (validity, usages), whichever CA issued it. */
export function profileViolation(
  certificate: Certificate,
  now: number,
  rules: ProfileRules,
): ProfileViolation | undefined {
  return violationByDate(certificate, now) ?? violationByUsage(certificate, rules) ?? violationByKey(certificate)
}

function violationByDate({ validFrom, validTo }: Certificate, now: number): ProfileViolation | undefined {
  if (now > validTo)
    return {
      reason: 'expired',
      advice: `The certificate expired on ${new Date(validTo).toISOString()}: have a new one issued.`,
    }
  if (now >= validFrom) return undefined
  return {
    reason: 'not yet valid',
    advice: `The certificate is not valid before ${new Date(validFrom).toISOString()}: wait until then, or check the clock.`,
  }
}

function violationByUsage(certificate: Certificate, { requireClientAuth }: ProfileRules): ProfileViolation | undefined {
  const { isCa, extendedKeyUsages, keyUsages, unknownCriticalExtension } = certificate
  if (isCa)
    return {
      reason: 'of a CA',
      advice: 'This is the certificate of a CA: give the one of the user, which that CA has issued.',
    }
  if (extendedKeyUsages === undefined ? requireClientAuth : !extendedKeyUsages.includes(extendedKeyUsage.clientAuth))
    return {
      reason: 'not for clientAuth',
      advice: 'The certificate does not name clientAuth as a use (extended key usage): have one issued that does.',
    }
  if (keyUsages !== undefined && (keyUsages & keyUsage.digitalSignature) === 0)
    return {
      reason: 'not for signatures',
      advice: 'The key usage of the certificate lacks digitalSignature: have one issued that allows it.',
    }
  if (unknownCriticalExtension === undefined) return undefined
  return {
    reason: `with the unknown critical extension ${unknownCriticalExtension}`,
    advice: `The certificate has the critical extension ${unknownCriticalExtension}, which is not known here: have one issued without it.`,
  }
}

function violationByKey({ publicKey, signatureAlgorithm }: Certificate): ProfileViolation | undefined {
  const type = publicKey.asymmetricKeyType
  const { modulusLength = 0, namedCurve = '' } = publicKey.asymmetricKeyDetails ?? {}
  const fit =
    type === 'rsa' || type === 'rsa-pss'
      ? modulusLength >= smallestRsaBits && modulusLength <= largestRsaBits
      : type === 'ec'
        ? curves.includes(namedCurve)
        : type === 'ed25519'
  if (!fit)
    return {
      reason: 'with a weak or unsupported key',
      advice: `The key of the certificate is weak or not supported: use RSA with ${smallestRsaBits} to ${largestRsaBits} bits, EC on P-256, P-384 or P-521, or Ed25519.`,
    }
  if (isStrongAlgorithm(signatureAlgorithm)) return undefined
  return {
    reason: 'signed weakly',
    advice:
      'The certificate is signed with an algorithm that is weak or not supported: have it issued with SHA-256 or better.',
  }
}
