import { readFileSync } from 'node:fs'
import pkcs11 from 'pkcs11js'
import { finalize, loadModule, type OpenToken, openToken } from '../../../src/hsm/pkcs11/token-opening.ts'
import { TokenFailure } from '../../../src/hsm/pkcs11/failure.ts'
import { importedTemplate } from '../../../src/hsm/pkcs11/key-templates.ts'
import type { SecretKeyRow } from '../../../src/hsm/pkcs11/key-kinds.ts'
import { type KeyHandle, openSession, type Pkcs11Session } from '../../../src/hsm/pkcs11/pkcs11-session.ts'
import { knownPin } from '../../../src/hsm/pkcs11/user-pin.ts'
import { makeToken } from '../../support/token.ts'

/** A token in the test process, without a host, for keys whose bytes the test knows. */
export interface BareToken {
  readonly session: Pkcs11Session
  readonly mechanisms: ReadonlySet<number>
  /** Makes a session key with this value and the usage of its row. */
  secret(row: SecretKeyRow, value: Buffer): KeyHandle
  /** The value of a worthless key that is not sensitive. */
  valueOf(key: KeyHandle): Buffer
  /** The result of `work`; undefined where the token or Strongroom refuses, after which the session is replaced. */
  attempt<T>(work: () => T): T | undefined
  close(): void
}

export async function openBareToken(): Promise<BareToken> {
  const token = await makeToken()
  const lib = loadModule(token)
  const pin = knownPin(readFileSync(token.pinFile, 'utf8'))
  const opened: OpenToken = openToken(lib, { uri: token.tokenUri, pin })
  let session = openSession(opened.slot)
  return {
    get session() {
      return session
    },
    mechanisms: opened.mechanisms,
    secret: (row, value) => opened.session.create(importedTemplate(row, value)),
    valueOf: (key) => session.attributes(key, [pkcs11.CKA_VALUE])[0] ?? Buffer.alloc(0),
    attempt(work) {
      try {
        return work()
      } catch (error) {
        if (!(error instanceof TokenFailure) && !(error instanceof Error && 'code' in error)) throw error
        session.close()
        session = openSession(opened.slot)
        return undefined
      }
    },
    close() {
      finalize(lib)
      token.cleanup()
    },
  }
}
