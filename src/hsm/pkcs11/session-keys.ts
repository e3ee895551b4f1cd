import pkcs11 from 'pkcs11js'
import { Fault } from '../../fault.ts'
import type { KekName, KeyKind } from '../key-kind.ts'
import type { MadeKey, GenerateOptions, WrappedKey } from '../made-key.ts'
import { type KeyRow, rowOf, unwrapMechanism } from './key-kinds.ts'
import type { Connection } from './connection.ts'
import { TokenFailure } from './failure.ts'
import { generatedPublicTemplate, generatedTemplate, privateTemplate } from './key-templates.ts'
import { mechanismName } from './mechanisms.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'
import { publicKeyOf } from './public-keys.ts'

/** A key as a session object: extractable, and destroyed as soon as it is wrapped. */
export interface SessionKey {
  readonly key: KeyHandle
  /** DER SubjectPublicKeyInfo of a pair; undefined for a secret key. */
  readonly publicKey: Buffer | undefined
}

export function generateSessionKey(session: Pkcs11Session, row: KeyRow): SessionKey {
  if (row.serves !== 'sign')
    return { key: session.generate(row.generation, generatedTemplate(row)), publicKey: undefined }
  const pair = session.generatePair(row.generation, generatedPublicTemplate(row), privateTemplate(row, true))
  try {
    return { key: pair.privateKey, publicKey: publicKeyOf(session, pair.publicKey, row) }
  } finally {
    session.destroy(pair.publicKey)
  }
}

/**
 * Wraps a session key as `options` say.
 * @throws Fault `hsm.unsupported` where the token does not wrap keys of this kind
 */
export function wrapSessionKey(
  connection: Connection,
  kind: KeyKind,
  { key, publicKey }: SessionKey,
  options: GenerateOptions,
): MadeKey {
  return {
    ...wrapUnder(connection, kind, options.exportable ? 'exportable' : 'strict', key),
    publicKey,
    backup: options.backup
      ? wrapUnder(connection, kind, options.exportable ? 'backup-exportable' : 'backup', key)
      : undefined,
  }
}

export function wrapUnder(
  { keySession, roots, mechanisms }: Connection,
  kind: KeyKind,
  name: KekName,
  key: KeyHandle,
): WrappedKey {
  const kek = roots.newestKek(name)
  const mechanism = unwrapMechanism(rowOf(kind), mechanisms)
  try {
    return { kek: kek.name, blob: keySession.wrap(mechanism, kek.handle, key) }
  } catch (error) {
    if (!(error instanceof TokenFailure) || error.code !== pkcs11.CKR_KEY_NOT_WRAPPABLE) throw error
    const missing = `${mechanismName(mechanism.mechanism)} of ${kind} keys`
    throw new Fault('hsm.unsupported', `This needs ${missing}, which this token lacks.`, { cause: error })
  }
}

/** Runs `work` and destroys the objects afterwards, also when it throws. */
export function withTransient<T>(session: Pkcs11Session, objects: readonly KeyHandle[], work: () => T): T {
  try {
    return work()
  } finally {
    for (const object of objects) session.destroy(object)
  }
}
