import { existsSync } from 'node:fs'
import { nextPinBeside } from '../../hsm/server/file-pin.ts'
import { pinCredentialOf } from '../token/encrypted-pin.ts'
import { findingsOf, type Check } from './findings.ts'

const topic = 'PIN'
const { warning } = findingsOf(topic)

/** Whether a change of the PIN was interrupted. */
export const pinChangeCheck: Check = {
  topic,
  run({ hsm }) {
    const next = nextPinBeside(pinCredentialOf(hsm.pinFile).file)
    if (!existsSync(next)) return []
    return [
      warning(
        `a change of the PIN was interrupted: the token has the one in ${next}, or the previous one`,
        'Run "strongroom token change-pin", which finds out and finishes it.',
      ),
    ]
  },
}
