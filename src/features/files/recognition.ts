import { Fault } from '../../fault.ts'
import { templateIds } from '../templates/template.ts'
import { firstPemBlock, type PemBlock } from '../../encoding/pem.ts'
import { certificateValues, requestValues } from './certificate-values.ts'
import { derForm } from './der-form.ts'
import { openPgpContent } from './openpgp.ts'
import { sshKeyOf } from './ssh-key.ts'

/** The template that a file belongs to, and the values that were read from it. */
export interface Recognised {
  readonly templateId: number
  /** Values by the names of the template's fields. An unknown value is missing or empty. */
  readonly values: Readonly<Record<string, string>>
  /** Why no values were read, where the sender should know. */
  readonly problem?: string
}

/** Only this part of a file is read; certificates and keys are much smaller. */
export const maxSampleBytes = 128 * 1024

const plainFile: Recognised = { templateId: templateIds.file, values: {} }

/**
 * Finds the template of a file by its content. If the client has sent only the first bytes, they decide. `isWhole` is
 * false where the file continues after `sample`. Never throws, takes bounded time and decompresses nothing. Of a
 * private key, only kind and length are given.
 */
export function recognise(sample: Buffer, isWhole: boolean): Recognised {
  const block = firstPemBlock(sample)
  const content = openPgpContent(sample, block?.label)
  if (content !== undefined) return { templateId: templateIds.pgp, values: { content } }
  // A larger file can at most be a collection of these, which counts as a plain file.
  if (!isWhole) return plainFile
  const ssh = sshKeyOf(sample.toString('latin1'), block)
  if (ssh !== undefined) return { templateId: templateIds.sshKey, values: { ...ssh } }
  return block === undefined ? byStructure(sample) : byLabel(block)
}

function byStructure(der: Buffer): Recognised {
  const form = derForm(der)
  if (form === undefined) return firstVersionCertificate(der)
  if (form.kind !== 'privateKey') return recognisers[form.kind](der)
  return { templateId: templateIds.privateKey, values: { algorithm: form.algorithm, keylength: form.keyLength } }
}

/** A version 1 certificate begins like other structures, so that all of it has to be parsed. */
function firstVersionCertificate(der: Buffer): Recognised {
  if (der[0] !== 0x30) return plainFile
  const found = readable(certificateValues, der)
  return Object.keys(found.values).length === 0 ? plainFile : { templateId: templateIds.certificate, ...found }
}

const recognisers = {
  certificate: (der: Buffer): Recognised => ({
    templateId: templateIds.certificate,
    ...readable(certificateValues, der),
  }),
  certificateRequest: (der: Buffer): Recognised => ({
    templateId: templateIds.certificateRequest,
    ...readable(requestValues, der),
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

/** Labels of RFC 7468, and those of older programs. */
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

/** A file that is cut off or damaged keeps its template, with empty fields. */
function readable(
  read: (der: Buffer) => Readonly<Record<string, string>>,
  der: Buffer,
): Omit<Recognised, 'templateId'> {
  try {
    return { values: read(der) }
  } catch (error) {
    // The sentence about certificates is given only for a file that begins like one.
    const problem = error instanceof Fault && derForm(der) !== undefined ? error.detail : undefined
    return { values: {}, ...(problem === undefined ? {} : { problem }) }
  }
}
