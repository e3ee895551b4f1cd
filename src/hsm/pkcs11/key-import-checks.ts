import { randomBytes } from 'node:crypto'
import pkcs11 from 'pkcs11js'
import { Fault } from '../../fault.ts'
import type { ImportOptions, WrappedKey } from '../made-key.ts'
import type { Connection } from './connection.ts'
import { TokenFailure } from './failure.ts'
import type { KeyRow, SecretKeyRow } from './key-kinds.ts'
import type { KeyPairRow } from './pair-kinds.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'
import { curveOf, rsaPublicKeyOf, verifyingTemplate } from './public-keys.ts'
import { withTransient } from './session-keys.ts'
import { signingCall } from './signing-operations.ts'

const blockBytes = 16
const digestBytes = 32

/**
 * Tries an imported key once. Returns the matching public key of a pair (DER SubjectPublicKeyInfo); undefined for a
 * secret key.
 * @throws Fault `hsm.rejected`
 */
export function checkKey(
  connection: Connection,
  row: KeyRow,
  key: KeyHandle,
  options: ImportOptions,
): Buffer | undefined {
  if (row.serves === 'sign') return checkedPublicKey(connection, row, key, options)
  checkUsable(connection, row, key)
  return undefined
}

/**
 * Tries an imported secret key once. RFC 5649 carries keys of any length, and SoftHSM2 pads a short one with zeros when
 * it wraps it again.
 * @throws Fault `hsm.rejected` where the token refuses the key
 */
function checkUsable(connection: Connection, row: SecretKeyRow, key: KeyHandle): void {
  try {
    useOnce(connection.session, row, key)
  } catch (error) {
    if (!(error instanceof TokenFailure) || !meansBadKey(error)) throw error
    connection.replaceSession()
    throw new Fault('hsm.rejected', 'The key has a length that its kind does not have.', { cause: error })
  }
}

function useOnce(session: Pkcs11Session, row: SecretKeyRow, key: KeyHandle): void {
  const block = Buffer.alloc(blockBytes)
  if (row.cipher !== undefined) {
    const iv = randomBytes(row.cipher.ivBytes)
    const output = Buffer.alloc(blockBytes + row.cipher.tagBytes)
    row.cipher.encrypt(session, key, iv, block, Buffer.alloc(0), output)
  } else if (row.serves === 'otp-block') session.decrypt(row.mechanism, key, block, block)
  else session.sign(row.mechanism, key, block, Buffer.alloc(row.outputBytes))
}

function meansBadKey({ remedy, code }: TokenFailure): boolean {
  return (
    remedy === 'data' ||
    remedy === 'unsupported' ||
    code === pkcs11.CKR_GENERAL_ERROR ||
    code === pkcs11.CKR_FUNCTION_FAILED
  )
}

/** @throws Fault `hsm.rejected` unless the public key verifies a signature by the private key */
function checkPairMatches(
  { keySession, session }: Connection,
  row: KeyPairRow,
  key: KeyHandle,
  publicKey: Buffer,
): void {
  const verifying = keySession.create(verifyingTemplate(row, publicKey))
  withTransient(keySession, [verifying], () => {
    const { mechanism, data } = signingCall(row, { hash: 'sha256' }, randomBytes(digestBytes))
    const signature = session.sign(mechanism, key, data, Buffer.alloc(row.signatureBytes))
    if (!session.verify(mechanism, verifying, data, signature)) throw mismatch()
  })
}

function mismatch(): Fault {
  return new Fault('hsm.rejected', 'The public key is not the one of this private key.')
}

/** Number of bytes that RFC 3394 adds to a key. */
const wrapBytes = 8

/**
 * Checks the length of a wrapped secret key. The length comes from the blob, because SoftHSM2 reports no CKA_VALUE_LEN
 * of a key that it unwrapped.
 * @throws Fault `hsm.rejected`
 */
export function checkLength(row: KeyRow, { blob }: WrappedKey): void {
  if (row.serves === 'sign') return
  const bytes = blob.length - wrapBytes
  if (bytes < row.bytes || bytes > row.longestBytes)
    throw new Fault('hsm.rejected', `The key has ${bytes} bytes; its kind has ${row.bytes} to ${row.longestBytes}.`)
}

function checkedPublicKey(connection: Connection, row: KeyPairRow, key: KeyHandle, options: ImportOptions): Buffer {
  const { keySession } = connection
  const given = options.publicKey === undefined ? undefined : Buffer.from(options.publicKey)
  const publicKey = row.family === 'rsa' ? rsaPublicKeyOf(keySession, key) : given
  if (publicKey === undefined)
    throw new Fault('hsm.rejected', 'Give the public key: PKCS#11 has no call that makes it of the private half.')
  if (row.family !== 'rsa' && !curveOf(keySession, key).equals(row.curve))
    throw new Fault('hsm.rejected', 'The private key is on another curve.')
  if (given?.equals(publicKey) === false) throw mismatch()
  checkPairMatches(connection, row, key, publicKey)
  return publicKey
}
