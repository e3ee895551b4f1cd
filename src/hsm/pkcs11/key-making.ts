import pkcs11, { type Template } from 'pkcs11js'
import type { KeyKind, SecretKeyKind } from '../key-kind.ts'
import type { MadeKey, GenerateOptions, ImportOptions, WrappedKey } from '../made-key.ts'
import type { SealedRecord } from '../hsm.ts'
import { receivedPurpose } from '../provenance.ts'
import { openJob, unwrapJobKey } from './import-job.ts'
import { importable, requirePaddedWrap, rowOf, secretKeyRows, unwrapOnly } from './key-kinds.ts'
import { importedTemplate, transientTemplate, transientWrapKeyTemplate } from './key-templates.ts'
import type { Connection } from './connection.ts'
import { checkKey, checkLength } from './key-import-checks.ts'
import { oaep } from './mechanisms.ts'
import { generateSessionKey, withTransient, wrapSessionKey, wrapUnder } from './session-keys.ts'
import { addOuterWrapping } from './outer-wrapping.ts'
import type { KeyHandle } from './pkcs11-session.ts'
import { requireSupport } from './kind-support.ts'
import { newKeyIdentity } from './new-key-policy.ts'
import type { Token } from './token-link.ts'

/**
 * Generates a key as a session object, wraps it and destroys the object. The key is never in plain outside the token.
 */
export function generate(token: Token, kind: KeyKind, options: GenerateOptions): MadeKey {
  return token.run((connection) => {
    requireSupport(connection, kind)
    const generated = generateSessionKey(connection.keySession, rowOf(kind))
    return withTransient(connection.keySession, [generated.key], () =>
      addOuterWrapping(connection, options.outerWrapping, wrapSessionKey(connection, kind, generated, options)),
    )
  })
}

/** Imports a secret and wraps it under the strict KEK. Zeroes `secret` and every copy that it makes. */
export function importSecret(token: Token, kind: SecretKeyKind, secret: Buffer): WrappedKey {
  let value: Buffer | undefined
  try {
    const padded = (value = importable(kind, secret))
    return token.run((connection) => {
      requireSupport(connection, kind)
      const key = connection.keySession.create(importedTemplate(secretKeyRows[kind], padded))
      return withTransient(connection.keySession, [key], () => wrapUnder(connection, kind, 'strict', key))
    })
  } finally {
    secret.fill(0)
    value?.fill(0)
  }
}

/** Imports a key that CKM_RSA_AES_KEY_WRAP wrapped for the key of an import job. See `Hsm.importKey`. */
export function importKey(
  token: Token,
  sealed: SealedRecord,
  wrapped: Buffer,
  { policy, vaultKey }: { readonly policy: SealedRecord; readonly vaultKey: SealedRecord },
  publicKey: Buffer | undefined,
): { readonly kind: KeyKind; readonly purpose: Buffer; readonly key: MadeKey } {
  const job = token.run((connection) => openJob(connection, sealed))
  const outerWrapping = { ...newKeyIdentity(token, policy, job.policy), vaultKey }
  return token.run((connection) => {
    requireSupport(connection, job.kind)
    const recipient = unwrapJobKey(connection, job)
    const key = withTransient(connection.keySession, [recipient], () =>
      unwrapReceived(connection, recipient, wrapped, transientTemplate(rowOf(job.kind))),
    )
    const options = {
      exportable: job.exportable,
      backup: job.backup,
      outerWrapping,
      ...(publicKey ? { publicKey } : {}),
    }
    return withTransient(connection.keySession, [key], () => ({
      kind: job.kind,
      purpose: receivedPurpose(outerWrapping),
      key: acceptKey(connection, job.kind, key, options),
    }))
  })
}

/**
 * Unwraps a key that CKM_RSA_AES_KEY_WRAP wrapped for an RSA key, by the single steps that the token supports. The new
 * object has this template.
 */
function unwrapReceived(
  { keySession, mechanisms }: Pick<Connection, 'keySession' | 'mechanisms'>,
  privateKey: KeyHandle,
  wrapped: Buffer,
  template: Template,
): KeyHandle {
  const mechanism = requirePaddedWrap(mechanisms)
  const modulusBytes = keySession.attributes(privateKey, [pkcs11.CKA_MODULUS])[0]?.length ?? 0
  const outer = keySession.unwrap(
    oaep,
    privateKey,
    wrapped.subarray(0, modulusBytes),
    transientWrapKeyTemplate(unwrapOnly),
  )
  return withTransient(keySession, [outer], () =>
    keySession.unwrap(mechanism, outer, wrapped.subarray(modulusBytes), template),
  )
}

/** Wraps an imported key after the checks of `key-import-checks.ts`. */
export function acceptKey(connection: Connection, kind: KeyKind, key: KeyHandle, options: ImportOptions): MadeKey {
  const row = rowOf(kind)
  const publicKey = checkKey(connection, row, key, options)
  const accepted = wrapSessionKey(connection, kind, { key, publicKey }, options)
  checkLength(row, accepted)
  return addOuterWrapping(connection, options.outerWrapping, accepted)
}
