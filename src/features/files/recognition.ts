import { templateIds } from '../templates/template.ts'
import { firstPemBlock, type PemBlock } from '../../encoding/pem.ts'
import { certificateValues, requestValues } from './certificate-values.ts'
import { derForm } from './der-form.ts'
import { openPgpContent } from './openpgp.ts'
import { sshKeyOf } from './ssh-key.ts'

/** What a file is, and what could be read of it. */
export interface Recognised {
  readonly templateId: number
  /** By the names of the template's fields; a field that nothing is known of is missing or empty. */
  readonly values: Readonly<Record<string, string>>
}

/** So much of a file is looked at; no certificate or key comes near it. */
export const maxSampleBytes = 128 * 1024

const plainFile: Recognised = { templateId: templateIds.file, values: {} }

/**
 * Says by its content which template a file belongs to. A client may have sent the first bytes of it alone: then it
 * is told what can be seen there. `isWhole` is false where more was sent than is looked at. Never fails, is never
 * slow, and never inflates anything; nothing of a private key is in the answer but the kind and length of the key.
 */
export function recognise(sample: Buffer, isWhole: boolean): Recognised {
  const armour = firstPemBlock(sample)
  const content = openPgpContent(sample, armour?.label)
  if (content !== undefined) return { templateId: templateIds.pgp, values: { content } }
  // What is larger than any of these can be a collection of them at best: a plain file.
  if (!isWhole) return plainFile
  const ssh = sshKeyOf(sample.toString('latin1'), armour)
  if (ssh !== undefined) return { templateId: templateIds.sshKey, values: { ...ssh } }
  return armour === undefined ? byStructure(sample) : byLabel(armour)
}

function byStructure(der: Buffer): Recognised {
  const form = derForm(der)
  if (form === undefined) return firstVersionCertificate(der)
  if (form.kind !== 'privateKey') return recognisers[form.kind](der)
  return { templateId: templateIds.privateKey, values: { algorithm: form.algorithm, keylength: form.keyLength } }
}

/** A certificate without version looks like other things at its beginning: only all of it tells. */
function firstVersionCertificate(der: Buffer): Recognised {
  if (der[0] !== 0x30) return plainFile
  const values = readable(certificateValues, der)
  return Object.keys(values).length === 0 ? plainFile : { templateId: templateIds.certificate, values }
}

const recognisers = {
  certificate: (der: Buffer): Recognised => ({
    templateId: templateIds.certificate,
    values: readable(certificateValues, der),
  }),
  certificateRequest: (der: Buffer): Recognised => ({
    templateId: templateIds.certificateRequest,
    values: readable(requestValues, der),
  }),
  pkcs12: (): Recognised => ({ templateId: templateIds.pkcs12, values: {} }),
}

const keyNames: Readonly<Record<string, string>> = {
  'RSA PRIVATE KEY': 'RSA',
  'EC PRIVATE KEY': 'EC',
  'DSA PRIVATE KEY': 'DSA',
  'PRIVATE KEY': '',
  'ENCRYPTED PRIVATE KEY': '',
}

/** Labels of RFC 7468, and those that older programs write. */
function byLabel({ label, bytes }: PemBlock): Recognised {
  if (/^(?:X509 |TRUSTED )?CERTIFICATE$/.test(label)) return recognisers.certificate(bytes)
  if (/^(?:NEW )?CERTIFICATE REQUEST$/.test(label)) return recognisers.certificateRequest(bytes)
  const algorithm = keyNames[label]
  if (algorithm === undefined) return plainFile
  const form = derForm(bytes)
  return {
    templateId: templateIds.privateKey,
    values: form?.kind === 'privateKey' ? { algorithm: form.algorithm, keylength: form.keyLength } : { algorithm },
  }
}

/** What was cut off or damaged is what it is all the same, with its fields empty. */
function readable(
  read: (der: Buffer) => Readonly<Record<string, string>>,
  der: Buffer,
): Readonly<Record<string, string>> {
  try {
    return read(der)
  } catch {
    return {}
  }
}
