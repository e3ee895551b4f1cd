import { Fault } from '../fault.ts'
import { elementCount } from './der-size.ts'

/**
 * A usual certificate has about 100 elements, and one more for each name. The parser takes 25 to 70 µs per element: a
 * certificate with 9,000 names blocked the event loop for 0.2 to 0.7 s.
 */
const mostElements = 1_200

/**
 * Must be called before a certificate, or a request for one, is parsed.
 * @throws Fault `certificate.invalid` for one that would take too long
 */
export function boundCertificate(der: Buffer): void {
  if (elementCount(der, mostElements) > mostElements)
    throw new Fault(
      'certificate.invalid',
      `The certificate has more than ${mostElements} parts, such as names, and is not read: have one issued with fewer.`,
    )
}
