import { randomFillSync } from 'node:crypto'
import pkcs11, { type Mechanism } from 'pkcs11js'
import type { Connection } from './connection.ts'
import { TokenFailure } from './failure.ts'
import { generatedTemplate, unwrappedTemplate } from './key-templates.ts'
import { hidesKeys } from './kek-probe.ts'
import { secretKeyRows } from './key-kinds.ts'
import { limitChecks } from './limit-probe.ts'
import {
  ecKeyPairGen,
  gcm,
  gcmIvBytes,
  gcmTagBytes,
  hmacSha256,
  keyWrap,
  mechanismName,
  paddedWrap,
} from './mechanisms.ts'
import type { KeyHandle } from './pkcs11-session.ts'

const passed = 'passed'

const largestPartBytes = 1024 * 1024

/**
 * Tries out what the token really does. Returns the name of each check with `passed` or a sentence that says what is
 * wrong. A token that fails a check is used all the same: `strongroom doctor` prints and explains the results. Leaves
 * no object in the token.
 */
export function probe(connection: Connection): Record<string, string> {
  const results: Record<string, string> = {}
  for (const [name, check] of Object.entries(checks)) {
    const keys = createScratch(connection)
    try {
      results[name] = check(connection, keys) ?? passed
    } catch (error) {
      if (!(error instanceof TokenFailure)) throw error
      results[name] = error.message
    } finally {
      keys.discard()
      connection.replaceSession()
    }
  }
  return results
}

type Check = (connection: Connection, keys: Scratch) => string | undefined

const checks: Record<string, Check> = {
  mechanisms({ mechanisms }) {
    const missing = missingMechanisms(mechanisms)
    return missing.length === 0 ? undefined : `the token lacks ${missing.join(', ')}`
  },
  'padded-key-wrap': ({ mechanisms }) =>
    paddedWrap(mechanisms) === undefined ? 'the token has no RFC 5649 key wrap: key pairs cannot be made' : undefined,
  'unextractable-never-wraps': ({ keySession, roots }, keys) =>
    mustFail('a key that is not extractable could be wrapped', () =>
      keySession.wrap(keyWrap, roots.newestKek('strict').handle, keys.unwrapped()),
    ),
  'strict-kek-hides': ({ keySession, roots }) =>
    hidesKeys(keySession, roots.newestKek('strict').handle)
      ? undefined
      : 'the strict KEK has no unwrap template: anyone who has the PIN can unwrap keys readable',
  'backup-kek-hides': ({ keySession, roots }) =>
    hidesKeys(keySession, roots.newestKek('backup').handle)
      ? undefined
      : 'the backup KEK has no unwrap template: anyone who has the PIN can unwrap keys that allow backup readable',
  'kek-never-encrypts': ({ roots, session }) =>
    mustFail('the strict KEK encrypts data', () =>
      session.encrypt(
        gcm(Buffer.alloc(gcmIvBytes), undefined),
        roots.newestKek('strict').handle,
        Buffer.alloc(16),
        Buffer.alloc(64),
      ),
    ),
  'kek-never-decrypts': ({ roots, session }) =>
    mustFail('the strict KEK decrypts data', () =>
      session.decrypt(
        { mechanism: pkcs11.CKM_AES_ECB },
        roots.newestKek('strict').handle,
        Buffer.alloc(16),
        Buffer.alloc(64),
      ),
    ),
  ...limitChecks,
  'gcm-round-trip': (connection, keys) => roundTrip(connection, keys.unwrapped(), Buffer.from('strongroom')),
  'gcm-empty': (connection, keys) => roundTrip(connection, keys.unwrapped(), Buffer.alloc(0)),
  'gcm-one-mebibyte': (connection, keys) =>
    roundTrip(connection, keys.unwrapped(), Buffer.alloc(largestPartBytes, 0x5a)),
  'tampered-tag-is-data': (connection, keys) => tamperedTag(connection, keys.unwrapped()),
}

/**
 * Names of mechanisms that the appliance itself needs and the token lacks. The others decide which kinds of keys it
 * supports.
 */
export const missingMechanisms = (mechanisms: ReadonlySet<number>): string[] =>
  needed.filter(({ mechanism }) => !mechanisms.has(mechanism)).map(({ mechanism }) => mechanismName(mechanism))

const needed: readonly Mechanism[] = [
  ...(['aes256-gcm', 'otp-aes128', 'otp-hmac-sha1', 'otp-hmac-sha256', 'otp-hmac-sha512'] as const).flatMap((kind) => [
    secretKeyRows[kind].mechanism,
    secretKeyRows[kind].generation,
  ]),
  keyWrap,
  hmacSha256,
  ecKeyPairGen,
  { mechanism: pkcs11.CKM_ECDSA },
].filter((row, index, all) => all.findIndex(({ mechanism }) => mechanism === row.mechanism) === index)

const row = secretKeyRows['aes256-gcm']

function mustFail(otherwise: string, work: () => unknown): string | undefined {
  try {
    work()
    return otherwise
  } catch (error) {
    if (error instanceof TokenFailure) return undefined
    throw error
  }
}

function roundTrip(connection: Connection, key: KeyHandle, plaintext: Buffer): string | undefined {
  const mechanism = gcm(randomFillSync(Buffer.alloc(gcmIvBytes)), undefined)
  const ciphertext = connection.session.encrypt(mechanism, key, plaintext, Buffer.alloc(plaintext.length + gcmTagBytes))
  if (ciphertext.length !== plaintext.length + gcmTagBytes)
    return `${ciphertext.length} bytes came back for ${plaintext.length}`
  const back = connection.session.decrypt(mechanism, key, ciphertext, Buffer.alloc(ciphertext.length))
  return back.equals(plaintext) ? undefined : 'decryption gave other bytes than were encrypted'
}

function tamperedTag(connection: Connection, key: KeyHandle): string | undefined {
  const mechanism = gcm(randomFillSync(Buffer.alloc(gcmIvBytes)), undefined)
  const ciphertext = connection.session.encrypt(mechanism, key, Buffer.alloc(8), Buffer.alloc(8 + gcmTagBytes))
  ciphertext.writeUInt8(ciphertext.readUInt8(23) ^ 1, 23)
  try {
    connection.session.decrypt(mechanism, key, ciphertext, Buffer.alloc(64))
    return 'a changed tag was accepted'
  } catch (error) {
    if (error instanceof TokenFailure && error.remedy === 'data') return undefined
    throw error
  }
}

/** Session keys for one check, destroyed after it. */
interface Scratch {
  generated(): KeyHandle
  unwrapped(): KeyHandle
  keep(handle: KeyHandle): KeyHandle
  discard(): void
}

function createScratch({ keySession, roots }: Connection): Scratch {
  const held: KeyHandle[] = []
  const keep = (handle: KeyHandle) => {
    held.push(handle)
    return handle
  }
  const generated = () => keep(keySession.generate(row.generation, generatedTemplate(row)))
  return {
    generated,
    keep,
    unwrapped() {
      const { handle } = roots.newestKek('strict')
      return keep(
        keySession.unwrap(keyWrap, handle, keySession.wrap(keyWrap, handle, generated()), unwrappedTemplate(row)),
      )
    },
    discard() {
      for (const handle of held) keySession.destroy(handle)
    },
  }
}
