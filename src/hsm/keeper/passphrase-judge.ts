import { createHash, timingSafeEqual } from 'node:crypto'
import { Fault } from '../../fault.ts'
import {
  earlierPassphraseText,
  passphraseCheckBytes,
  passphraseNonceBytes,
  passphraseText,
  pepperedBytes,
} from '../peppered-text.ts'
import { pepper, random } from '../pkcs11/seal-operations.ts'
import type { Token } from '../pkcs11/token-link.ts'
import type { TryLimit } from './try-limit.ts'

/** What is stored of pass phrases, by their argon2id hashes. */
export interface PassphraseJudge {
  /** A check with a nonce of its own. */
  check(hash: Buffer): Buffer
  /** False for one that was tried wrongly too often, whatever it is. */
  matches(check: Buffer, hash: Buffer): boolean
}

export function createPassphraseJudge(token: Token, tries: TryLimit): PassphraseJudge {
  return {
    check(hash) {
      const nonce = random(token, passphraseNonceBytes)
      return Buffer.concat([nonce, peppered(token, passphraseText(nonce, hash))])
    },

    matches(check, hash) {
      // Whoever asks cannot make a second check of the same pass phrase: the limit is that of the pass phrase.
      const subject = createHash('sha256').update(check).digest()
      const isCurrent = check.length === passphraseCheckBytes
      if (!isCurrent && check.length !== pepperedBytes)
        throw new Fault('hsm.rejected', 'This is no check of a pass phrase.')
      const nonce = check.subarray(0, isCurrent ? passphraseNonceBytes : 0)
      const expected = peppered(token, isCurrent ? passphraseText(nonce, hash) : earlierPassphraseText(hash))
      const isRight = timingSafeEqual(expected, check.subarray(nonce.length)) && tries.allows(subject)
      tries.note(subject, isRight)
      return isRight
    },
  }
}

/** The text is zeroed: it holds a secret. */
export function peppered(token: Token, text: Buffer): Buffer {
  try {
    return pepper(token, text)
  } finally {
    text.fill(0)
  }
}
