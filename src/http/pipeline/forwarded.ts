import type { PresentedCertificate } from '../../access/caller.ts'
import { Fault } from '../../fault.ts'

/** RFC 9440 §2.1: DER as a byte sequence of structured fields (RFC 8941), base64 between colons. */
const byteSequence = /^:([A-Za-z0-9+/]+={0,2}):$/
const pem = /^-----BEGIN CERTIFICATE-----\s+([A-Za-z0-9+/\s]+={0,2})\s+-----END CERTIFICATE-----\s*$/

/**
 * The certificate in a header that a trusted proxy has written: as RFC 9440 has it, or as PEM with percent-encoding. Nothing in it is
 * no certificate; whoever looks at it checks issuer, dates and revocation again.
 * @throws Fault `request.invalid` for anything else, two of them, or a chain
 */
export function readForwarded(header: string | string[] | undefined): PresentedCertificate | undefined {
  if (header === undefined || header === '') return undefined
  const text = typeof header === 'string' ? header : header.join(', ')
  const base64 = byteSequence.exec(text)?.[1] ?? pem.exec(unescaped(text))?.[1]
  if (base64 === undefined)
    throw new Fault(
      'request.invalid',
      'The forwarded certificate cannot be read: let the proxy send one, as RFC 9440 has it or as PEM with percent-encoding.',
    )
  return { der: Buffer.from(base64, 'base64'), isVerified: true }
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
