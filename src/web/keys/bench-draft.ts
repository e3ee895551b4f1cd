import { bytesIn, type Notation } from './binary-text.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** Bytes that the person types in a notation, or gives as a file. */
export interface GivenBytes {
  readonly notation: Notation
  readonly text: string
  readonly file: { readonly name: string; readonly bytes: Bytes } | undefined
}

/** Undefined where the text is not valid in its notation. */
export const bytesGiven = ({ notation, text, file }: GivenBytes): Bytes | undefined =>
  file?.bytes ?? bytesIn(notation, text)

/** All input of the bench. It stays when another operation is chosen, and is forgotten with the view. */
export interface BenchDraft {
  readonly data: GivenBytes
  readonly aad: GivenBytes
  readonly ciphertext: string
  /** A signature or an HMAC. */
  readonly signature: string
  /** Empty for the newest version. */
  readonly keyVersion: string
  /** Empty for the default of the key's type. */
  readonly hash: '' | 'sha2-256' | 'sha2-384' | 'sha2-512'
  readonly padding: 'pss' | 'pkcs1v15'
  readonly form: 'asn1' | 'jws'
  readonly isPrehashed: boolean
  readonly bits: '128' | '256' | '512'
  readonly isOpen: boolean
  readonly count: string
}

const nothing: GivenBytes = { notation: 'text', text: '', file: undefined }

export const emptyBench: BenchDraft = {
  data: nothing,
  aad: nothing,
  ciphertext: '',
  signature: '',
  keyVersion: '',
  hash: '',
  padding: 'pss',
  form: 'asn1',
  isPrehashed: false,
  bits: '256',
  isOpen: false,
  count: '32',
}
