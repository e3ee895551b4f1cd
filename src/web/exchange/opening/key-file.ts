/** What opens a file. */
export interface FileKey {
  readonly passphrase: string
  /** Beside the pass phrase, or in its place. */
  readonly keyFile?: ArrayBuffer | undefined
}

const keyBytes = 32

/** The root of a key file in XML, of whatever version. */
const xmlRoot = /<KeyFile[\s>]/

/**
 * What `kdbxweb` takes for a key file: those forms that it reads itself, and of any other file the SHA-256, which is a key of 32 bytes.
 * The library would parse such a file as XML, and refuse one that is XML of another kind.
 */
export async function keyBytesIn(file: ArrayBuffer): Promise<ArrayBuffer> {
  if (file.byteLength === keyBytes) return file
  const text = new TextDecoder().decode(file)
  if (/^[\da-f]{64}$/i.test(text) || xmlRoot.test(text)) return file
  return crypto.subtle.digest('SHA-256', file)
}
