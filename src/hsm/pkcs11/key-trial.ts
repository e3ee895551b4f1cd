import { randomBytes } from 'node:crypto'
import pkcs11 from 'pkcs11js'
import { Fault } from '../../fault.ts'
import type { Connection } from './connection.ts'
import { TokenFailure } from './failure.ts'
import type { SecretKeyRow } from './key-kinds.ts'
import type { KeyPairRow } from './pair-kinds.ts'
import { withTransient } from './passing-keys.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'
import { verifyingTemplate } from './public-keys.ts'
import { signingCall } from './signatures.ts'

const blockBytes = 16
const digestBytes = 32

/**
 * Uses a secret key that came in once. Throws `hsm.rejected` where the token refuses: RFC 5649 carries keys of any length, and SoftHSM2
 * fills one that is too short with zeros when it wraps it again.
 */
export function checkUsable(connection: Connection, row: SecretKeyRow, key: KeyHandle): void {
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

/** Throws `hsm.rejected` unless the public key verifies what the private one signs. */
export function checkPairMatches(
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

export function mismatch(): Fault {
  return new Fault('hsm.rejected', 'The public key is not the one of this private key.')
}
