import { child, itemsOf, octetsOf, oidOf, readBer, Unopened, type Ber } from './ber.ts'
import { checkPrice, encryptedPart, type Encrypted } from './password-based-encryption.ts'

const oid = {
  data: '1.2.840.113549.1.7.1',
  encryptedData: '1.2.840.113549.1.7.6',
  certificateBag: '1.2.840.113549.1.12.10.1.3',
  x509Certificate: '1.2.840.113549.1.9.22.1',
  localKeyId: '1.2.840.113549.1.9.21',
} as const

/** Programs write two parts: one with certificates, one with keys. */
const maxParts = 8

/**
 * The certificate in a PKCS#12 (RFC 7292 §4) that belongs to its key, or else the first one, as DER; undefined
 * without any. Keys stay encrypted. The MAC is not verified: it would double the price, and a file that was changed
 * deceives its sender alone.
 * @throws Unopened, or an Error of any kind for another pass phrase or a damaged file
 */
export async function certificateIn(pkcs12: Buffer, passphrase: string): Promise<Buffer | undefined> {
  const contents = itemsOf(readBer(dataOf(child(readBer(pkcs12), 1))))
  if (contents.length > maxParts) throw new Unopened(`it has more than ${maxParts} parts`)
  const parts = contents.map(partOf)
  checkPrice(parts.filter((part) => 'decrypt' in part))
  const certificates: Ber[] = []
  for (const part of parts) {
    const bags = readBer('decrypt' in part ? await part.decrypt(passphrase) : part)
    certificates.push(...itemsOf(bags).filter((bag) => oidOf(child(bag, 0)) === oid.certificateBag))
  }
  const chosen = certificates.find(hasLocalKeyId) ?? certificates[0]
  return chosen && certificateOf(chosen)
}

/** The content of a ContentInfo (RFC 2315 §7): SafeContents in the clear, or encrypted. */
function partOf(info: Ber): Buffer | Encrypted {
  if (oidOf(child(info, 0)) !== oid.encryptedData) return dataOf(info)
  const encrypted = child(child(child(info, 1), 0), 1)
  return encryptedPart(child(encrypted, 1), octetsOf(child(encrypted, 2)))
}

function dataOf(info: Ber): Buffer {
  if (oidOf(child(info, 0)) !== oid.data) throw new Unopened('it is protected by a key in place of a pass phrase')
  return octetsOf(child(child(info, 1), 0))
}

/** The attribute by which programs mark the certificate of the key (RFC 7292 §4.2). */
function hasLocalKeyId(bag: Ber): boolean {
  const [, , attributes] = itemsOf(bag)
  return attributes !== undefined && itemsOf(attributes).some((one) => oidOf(child(one, 0)) === oid.localKeyId)
}

function certificateOf(bag: Ber): Buffer {
  const content = child(child(bag, 1), 0)
  if (oidOf(child(content, 0)) !== oid.x509Certificate) throw new Unopened('its certificate is no X.509 certificate')
  return octetsOf(child(child(content, 1), 0))
}
