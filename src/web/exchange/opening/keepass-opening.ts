import { Consts, Credentials, CryptoEngine, Kdbx, KdbxError, ProtectedValue } from 'kdbxweb'
import { type ReadFile, UnreadableFile } from '../entry.ts'
import { hashByArgon2, type OnProgress } from './argon2-hash.ts'
import { entriesIn } from './keepass-entries.ts'
import { type FileKey, keyBytesIn } from './key-file.ts'

/**
 * Opens a KeePass file. To be called in a worker only: there `kdbxweb` parses XML with xmldom. In a page it would use
 * DOMParser, which Trusted Types forbid.
 * @throws UnreadableFile `key` for a wrong pass phrase or key file, `keyFile` for a malformed key file
 */
export async function openKeepass(file: ArrayBuffer, key: FileKey, onProgress: OnProgress): Promise<ReadFile> {
  // The length is 32 bytes for every KeePass file.
  CryptoEngine.setArgon2Impl((password, salt, memoryKiB, iterations, _length, parallelism, type, version) => {
    const kind = type === CryptoEngine.Argon2TypeArgon2id ? 'argon2id' : 'argon2d'
    const cost = { memoryKiB, iterations, parallelism, version }
    return Promise.resolve(hashByArgon2(kind, new Uint8Array(password), new Uint8Array(salt), cost, onProgress).buffer)
  })
  const credentials = await credentialsOf(key)
  try {
    return entriesIn(await Kdbx.load(file, credentials))
  } catch (error) {
    const isOtherKey = error instanceof KdbxError && error.code === Consts.ErrorCodes.InvalidKey
    throw isOtherKey ? new UnreadableFile('key', error) : error
  }
}

/** With a key file, an empty pass phrase means none. */
async function credentialsOf({ passphrase, keyFile }: FileKey): Promise<Credentials> {
  const isKeyFileAlone = passphrase === '' && keyFile !== undefined
  const phrase = isKeyFileAlone ? null : ProtectedValue.fromString(passphrase)
  try {
    return await new Credentials(phrase, keyFile && (await keyBytesIn(keyFile))).ready
  } catch (error) {
    throw new UnreadableFile('keyFile', error)
  }
}
