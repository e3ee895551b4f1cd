import { createDecipheriv, randomBytes } from 'node:crypto'
import pkcs11 from 'pkcs11js'
import { Fault } from '../../fault.ts'
import type { KeyReference } from '../hsm.ts'
import { type KeyRow, requirePaddedWrap, unwrapMechanism, wrapOnly } from './key-kinds.ts'
import { transientTemplate, transientWrapKeyTemplate } from './key-templates.ts'
import type { Connection } from './connection.ts'
import { aesKeyGen, oaep } from './mechanisms.ts'
import { withTransient } from './session-keys.ts'
import type { KeyHandle } from './pkcs11-session.ts'
import { wrappingTemplate } from './public-keys.ts'
import type { Token } from './token-link.ts'

const wrapKeyBytes = 32
/** The constant half of the Alternative Initial Value (RFC 5649 §3). OpenSSL adds the length itself. */
const alternativeIv = Buffer.from('a65959a6', 'hex')

/** See `Hsm.exportKey`. */
export function exportKey(token: Token, reference: KeyReference, recipient: Buffer): Buffer {
  const recipientTemplate = wrappingTemplate(recipient)
  return token.run((connection) => {
    const { keySession } = connection
    const { key } = unwrapExportable(connection, reference, 'export')
    return withTransient(keySession, [key], () => {
      const wrapping = keySession.create(recipientTemplate)
      return withTransient(keySession, [wrapping], () => wrapTo(connection, wrapping, key))
    })
  })
}

/**
 * Wraps a key for an RSA public key in the format of CKM_RSA_AES_KEY_WRAP, by the single steps that the token supports.
 */
function wrapTo(
  { keySession, mechanisms }: Pick<Connection, 'keySession' | 'mechanisms'>,
  recipient: KeyHandle,
  key: KeyHandle,
): Buffer {
  const mechanism = requirePaddedWrap(mechanisms)
  const length = { type: pkcs11.CKA_VALUE_LEN, value: wrapKeyBytes }
  const outer = keySession.generate(aesKeyGen, transientWrapKeyTemplate(wrapOnly, [length]))
  return withTransient(keySession, [outer], () =>
    Buffer.concat([keySession.wrap(oaep, recipient, outer), keySession.wrap(mechanism, outer, key)]),
  )
}

/**
 * See `Hsm.exportPlain`. The key stays sensitive in the token. It comes out wrapped by a key that this process knows,
 * which also gives a private key the form of PKCS#8.
 */
export function exportPlain(token: Token, reference: KeyReference): Buffer {
  const value = randomBytes(wrapKeyBytes)
  try {
    const { blob, isDer } = token.run((connection) => {
      const { keySession, mechanisms } = connection
      const mechanism = requirePaddedWrap(mechanisms)
      const { key, row } = unwrapExportable(connection, reference, 'export-plain')
      return withTransient(keySession, [key], () => {
        const outer = keySession.create(transientWrapKeyTemplate(wrapOnly, [{ type: pkcs11.CKA_VALUE, value }]))
        return withTransient(keySession, [outer], () => ({
          blob: keySession.wrap(mechanism, outer, key),
          isDer: row.serves === 'sign',
        }))
      })
    })
    const unwrap = createDecipheriv('id-aes256-wrap-pad', value, alternativeIv)
    const plain = Buffer.concat([unwrap.update(blob), unwrap.final()])
    return isDer ? plain.subarray(0, derBytes(plain)) : plain
  } finally {
    value.fill(0)
  }
}

/**
 * Length of a DER SEQUENCE with its header. SoftHSM2 pads a key to a multiple of 8 bytes with zeros before it wraps it,
 * and includes the padding in the length.
 */
function derBytes(der: Buffer): number {
  const first = der.readUInt8(1)
  if (first < 0x80) return 2 + first
  const lengthBytes = first - 0x80
  return 2 + lengthBytes + der.readUIntBE(2, lengthBytes)
}

interface Exportable {
  readonly key: KeyHandle
  readonly row: KeyRow
}

function unwrapExportable(
  { keySession, keys, roots, mechanisms }: Connection,
  reference: KeyReference,
  use: 'export' | 'export-plain',
): Exportable {
  const { row, kek, blob } = keys.open(reference, use)
  if (!/^(?:backup-)?exportable\./.test(kek))
    throw new Fault('hsm.rejected', 'This key was not made to be exported: it never leaves the token.')
  return { key: keySession.unwrap(unwrapMechanism(row, mechanisms), roots.kek(kek), blob, transientTemplate(row)), row }
}
