import pkcs11, { type Template } from 'pkcs11js'
import type { Connection } from './connection.ts'
import { TokenFailure } from './failure.ts'
import { secretKeyRows, wrapOnly } from './key-kinds.ts'
import { generatedTemplate, transientWrapKeyTemplate } from './key-templates.ts'
import { aesKeyGen, keyWrap } from './mechanisms.ts'
import { limitsOf } from './object-limits.ts'
import type { KeyHandle } from './pkcs11-session.ts'
import { kekNames } from './root-objects.ts'
import { withTransient } from './session-keys.ts'

/**
 * Checks whether the token enforces the limits that it accepted when a key was made. Each check returns a sentence
 * where it does not.
 */
export const limitChecks = {
  'trusted-wrapping': ({ keySession, roots }: Connection) =>
    withLimits(keySession, [{ type: pkcs11.CKA_WRAP_WITH_TRUSTED, value: true }], (key) =>
      isDone(() => keySession.wrap(keyWrap, roots.newestKek('exportable').handle, key))
        ? 'a key that only trusted keys may wrap was wrapped by another: the backup KEK leaves the token without the SO PIN'
        : undefined,
    ),
  'allowed-mechanisms': ({ keySession, session }: Connection) =>
    withLimits(keySession, limitsOf([gcm.mechanism]), (key) =>
      isDone(() => session.encrypt({ mechanism: pkcs11.CKM_AES_ECB }, key, Buffer.alloc(16), Buffer.alloc(32)))
        ? 'a key that is limited to its mechanism was used by another: a vault key by ECB gives the key of its tags away'
        : undefined,
    ),
  'copies-refused': ({ keySession }: Connection) =>
    withLimits(keySession, limitsOf([gcm.mechanism]), (key) =>
      isDone(() => keySession.destroy(keySession.copy(key, [])))
        ? 'a key that is not to be copied was copied: anyone who has the PIN can keep keys that are destroyed'
        : undefined,
    ),
  'keks-stay': ({ keySession, roots }: Connection) => {
    const template = [...transientWrapKeyTemplate(wrapOnly), { type: pkcs11.CKA_VALUE_LEN, value: 32 }]
    const wrapping = keySession.generate(aesKeyGen, template)
    return withTransient(keySession, [wrapping], () => {
      const out = kekNames.filter((name) =>
        isDone(() => keySession.wrap(keyWrap, wrapping, roots.newestKek(name).handle)),
      )
      return out.length === 0 ? undefined : `any key wraps kek.${out.join(', kek.')} out of the token`
    })
  },
} satisfies Record<string, (connection: Connection) => string | undefined>

const gcm = secretKeyRows['aes256-gcm']

function withLimits(
  session: Connection['keySession'],
  limits: Template,
  work: (key: KeyHandle) => string | undefined,
): string | undefined {
  const key = session.generate(gcm.generation, [...generatedTemplate(gcm), ...limits])
  return withTransient(session, [key], () => work(key))
}

function isDone(work: () => unknown): boolean {
  try {
    work()
    return true
  } catch (error) {
    if (error instanceof TokenFailure) return false
    throw error
  }
}
