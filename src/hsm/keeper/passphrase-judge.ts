import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { Fault } from '../../fault.ts'
import { readCheck, writeCheck } from '../peppered-check.ts'
import {
  earlierPassphraseText,
  passphraseCheckBytes,
  passphraseNonceBytes,
  passphraseText,
  pepperedBytes,
} from '../peppered-text.ts'
import { newestPepper, pepper, pepperVersions, random } from '../pkcs11/seal-operations.ts'
import type { Token } from '../pkcs11/token-link.ts'
import type { TryLimit } from './try-limit.ts'

/** Makes and compares the stored checks of pass phrases, from their argon2id hashes. */
export interface PassphraseJudge {
  /** Makes a check, each with a new nonce. */
  check(hash: Buffer): Buffer
  /**
   * Whether the check is of this hash. False, after the same work, without a check and after too many wrong tries.
   * `isCharged`: whether a wrong try counts, because the caller learns the result.
   */
  matches(check: Buffer | undefined, hash: Buffer, isCharged: boolean): boolean
  /** Whether `check` would make it now: false for one of an earlier release or pepper version. */
  isCurrent(check: Buffer): boolean
}

export function createPassphraseJudge(token: Token, tries: TryLimit): PassphraseJudge {
  const unknownCheck = randomBytes(passphraseCheckBytes)
  return {
    check(hash) {
      const [nonce, version] = [random(token, passphraseNonceBytes), newestPepper(token)]
      return writeCheck({
        version,
        rest: Buffer.concat([nonce, peppered(token, version, passphraseText(nonce, hash))]),
      })
    },

    matches(shown, hash, isCharged) {
      const check = shown ?? unknownCheck
      // The limit is per stored check, and thereby per pass phrase: callers cannot make a second check of the same one.
      const subject = createHash('sha256').update(check).digest()
      const read = readCheck(check, passphraseCheckBytes, pepperedBytes)
      if (read === undefined) throw new Fault('hsm.rejected', 'This is not a check of a pass phrase.')
      const { version, rest } = read
      const nonce = rest.subarray(0, rest.length === passphraseCheckBytes ? passphraseNonceBytes : 0)
      const text = nonce.length > 0 ? passphraseText(nonce, hash) : earlierPassphraseText(hash)
      const isRight =
        timingSafeEqual(peppered(token, version, text), rest.subarray(nonce.length)) && tries.allows(subject)
      tries.note(subject, shown !== undefined && isCharged && !isRight)
      return shown !== undefined && isRight
    },

    isCurrent(check) {
      const read = readCheck(check, passphraseCheckBytes, pepperedBytes)
      return read?.version === newestPepper(token) && read.rest.length === passphraseCheckBytes
    },
  }
}

/** The text is zeroed, because it contains a secret. */
export function peppered(token: Token, version: number, text: Buffer): Buffer {
  try {
    return pepper(token, version, text)
  } finally {
    text.fill(0)
  }
}

/** The check by the newest version of the pepper. */
export function checkOf(token: Token, text: Buffer): Buffer {
  const version = newestPepper(token)
  return writeCheck({ version, rest: peppered(token, version, text) })
}

/** The checks by all versions of the pepper, newest first, for a secret that is looked up by its check. */
export function checksOf(token: Token, textOf: () => Buffer): Buffer[] {
  return pepperVersions(token).map((version) => writeCheck({ version, rest: peppered(token, version, textOf()) }))
}
