import { hash } from 'node:crypto'
import { firstPemBlock, type PemBlock } from '../../encoding/pem.ts'
import { child, octetsOf, readBer, Unopened, itemsOf, oidOf, type Ber } from './ber.ts'
import { certificateValues } from './certificate-values.ts'
import { derForm } from './der-form.ts'
import { checkPrice, decryptLegacy, encryptedPart, type Encrypted } from './password-based-encryption.ts'

type Values = Readonly<Record<string, string>>

/**
 * The values read from a protected file, by the names of the template's fields, or a sentence about why there are none.
 */
export type Opened = { readonly values: Values } | { readonly problem: string }

export type FileOpener = (file: Buffer, passphrase: string) => Promise<Opened>

/**
 * A key with a chain of certificates has some 10 KiB. Decrypting 32 KiB of RC2 takes 40 ms of CPU time, parsing them as
 * BER 10 ms.
 */
const maxBytes = 32 * 1024

/**
 * Files that are being opened or wait. One takes 0.3 s at most, so that the last of them waits for some three seconds.
 */
const maxWaiting = 10

/**
 * Opens a PKCS#12 or an encrypted private key with its pass phrase. Only the kind and length of a private key are
 * given. Never rejects. Files are opened one at a time, so that key derivation occupies one thread of libuv's pool and
 * leaves the others to files and the audit trail.
 */
export function createFileOpener(): FileOpener {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return (file, passphrase) => {
    if (waiting === maxWaiting)
      return Promise.resolve({ problem: 'The file was not opened: too many others are at this moment. Send it again.' })
    waiting += 1
    const opened = last.then(() => open(file, passphrase)).finally(() => void (waiting -= 1))
    last = opened
    return opened
  }
}

async function open(file: Buffer, passphrase: string): Promise<Opened> {
  try {
    if (file.length > maxBytes) throw new Unopened(`it is larger than ${maxBytes} bytes`)
    return { values: await valuesOf(file, passphrase) }
  } catch (error) {
    const reason = error instanceof Unopened ? error.message : 'the pass phrase is another, or the file is damaged'
    return { problem: `The file was not opened: ${reason}.` }
  }
}

async function valuesOf(file: Buffer, passphrase: string): Promise<Values> {
  const block = firstPemBlock(file)
  if (block !== undefined) return block.label.endsWith('PRIVATE KEY') ? pemKeyValues(block, passphrase) : {}
  const form = derForm(file)
  if (form?.kind === 'pkcs12') return pkcs12Values(file, passphrase)
  return form?.kind === 'privateKey' && form.algorithm === '' ? pkcs8Values(file, passphrase) : {}
}

async function pkcs12Values(file: Buffer, passphrase: string): Promise<Values> {
  const certificate = await certificateIn(file, passphrase)
  if (certificate === undefined) throw new Unopened('it holds no certificate')
  const fingerprint = hash('sha256', certificate)
  return { ...certificateValues(certificate), fingerprint }
}

/** The headers that OpenSSL writes before a key in its own format (RFC 1421 §4.6). */
const legacyBody = /^DEK-Info: *([A-Z0-9-]{1,20}), *((?:[0-9A-Fa-f]{2}){8,16})\n\n([A-Za-z0-9+/=\n]*)$/m

function pemKeyValues({ label, bytes, body }: PemBlock, passphrase: string): Values | Promise<Values> {
  if (label === 'ENCRYPTED PRIVATE KEY') return pkcs8Values(bytes, passphrase)
  const [found, cipher = '', iv = '', base64 = ''] = legacyBody.exec(body) ?? []
  if (found === undefined) return {}
  return keyValues(decryptLegacy(cipher, Buffer.from(iv, 'hex'), Buffer.from(base64, 'base64'), passphrase))
}

/** EncryptedPrivateKeyInfo (RFC 5958 §3). */
async function pkcs8Values(der: Buffer, passphrase: string): Promise<Values> {
  const info = readBer(der)
  const part = encryptedPart(child(info, 0), octetsOf(child(info, 1)))
  checkPrice([part])
  return keyValues(await part.decrypt(passphrase))
}

function keyValues(key: Buffer): Values {
  const form = derForm(key)
  key.fill(0)
  if (form?.kind !== 'privateKey' || form.algorithm === '') throw new RangeError('no private key')
  return { algorithm: form.algorithm, keylength: form.keyLength }
}

const oid = {
  data: '1.2.840.113549.1.7.1',
  encryptedData: '1.2.840.113549.1.7.6',
  certificateBag: '1.2.840.113549.1.12.10.1.3',
  x509Certificate: '1.2.840.113549.1.9.22.1',
  localKeyId: '1.2.840.113549.1.9.21',
} as const

/** Programs write two parts: one with certificates and one with keys. */
const maxParts = 8

/**
 * The certificate in a PKCS#12 (RFC 7292 §4) that belongs to its key, or else the first one, as DER; undefined if there
 * is none. Keys stay encrypted. The MAC is not verified, because it would double the cost, and a modified file harms
 * only its sender.
 * @throws Unopened, or Error of any kind for a wrong pass phrase or a damaged file
 */
async function certificateIn(pkcs12: Buffer, passphrase: string): Promise<Buffer | undefined> {
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

/** The content of a ContentInfo (RFC 2315 §7): SafeContents, in plain or encrypted. */
function partOf(info: Ber): Buffer | Encrypted {
  if (oidOf(child(info, 0)) !== oid.encryptedData) return dataOf(info)
  const encrypted = child(child(child(info, 1), 0), 1)
  return encryptedPart(child(encrypted, 1), octetsOf(child(encrypted, 2)))
}

function dataOf(info: Ber): Buffer {
  if (oidOf(child(info, 0)) !== oid.data) throw new Unopened('it is protected by a key in place of a pass phrase')
  return octetsOf(child(child(info, 1), 0))
}

/** Whether the bag has the attribute that marks the certificate of the key (RFC 7292 §4.2). */
function hasLocalKeyId(bag: Ber): boolean {
  const [, , attributes] = itemsOf(bag)
  return attributes !== undefined && itemsOf(attributes).some((one) => oidOf(child(one, 0)) === oid.localKeyId)
}

function certificateOf(bag: Ber): Buffer {
  const content = child(child(bag, 1), 0)
  if (oidOf(child(content, 0)) !== oid.x509Certificate)
    throw new Unopened('its certificate is not an X.509 certificate')
  return octetsOf(child(child(content, 1), 0))
}
