import { Fault } from '../fault.ts'
import { elementCount } from './der-size.ts'

/**
 * A certificate has some 100 elements, and one more for each name. The parser takes 25 to 70 µs for each: a certificate
 * of 9,000 names held the event loop for 0.2 to 0.7 s.
 */
const mostElements = 1_200

/**
 * To be called before a certificate, or a request for one, is read.
 * @throws Fault `certificate.invalid` for one that would take long
 */
export function boundCertificate(der: Buffer): void {
  if (elementCount(der, mostElements) > mostElements)
    throw new Fault(
      'certificate.invalid',
      `The certificate has more than ${mostElements} parts, such as names, and is not read: have one issued with fewer.`,
    )
}
