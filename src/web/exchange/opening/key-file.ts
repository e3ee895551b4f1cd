/** The key of an encrypted file. */
export interface FileKey {
  readonly passphrase: string
  /** A KeePass key file, in addition to the pass phrase or instead of it. */
  readonly keyFile?: ArrayBuffer | undefined
}

const keyBytes = 32

/** The root element of an XML key file of any version. */
const xmlRoot = /<KeyFile[\s>]/

/**
 * A key file in a form that `kdbxweb` accepts. Forms that the library knows are returned unchanged. Any other file is
 * replaced by its SHA-256 (32 bytes): the library would parse it as XML and refuse other XML.
 */
export async function keyBytesIn(file: ArrayBuffer): Promise<ArrayBuffer> {
  if (file.byteLength === keyBytes) return file
  const text = new TextDecoder().decode(file)
  if (/^[\da-f]{64}$/i.test(text) || xmlRoot.test(text)) return file
  return crypto.subtle.digest('SHA-256', file)
}
