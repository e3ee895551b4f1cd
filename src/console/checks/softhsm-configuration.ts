import { readFileSync } from 'node:fs'
import { isSamePlace, tokenFolderIn } from '../softhsm-file.ts'
import { findingsOf, type Check } from './findings.ts'

const topic = 'SoftHSM2'
const { ok, problem } = findingsOf(topic)

/**
 * Checks that SoftHSM2 uses the configured folder, which is backed up and synced. After a folder was copied, its
 * softhsm2.conf still names the original.
 */
export const softhsmCheck: Check = {
  topic,
  run({ hsm: { softhsmConf, tokenDirectory } }) {
    if (softhsmConf === undefined || tokenDirectory === undefined) return []
    const named = tokenFolderIn(readFileSync(softhsmConf, 'utf8'))
    if (named === undefined)
      return [
        problem(
          `${softhsmConf} (hsm.softhsmConf) names no folder for tokens`,
          `Write into it: directories.tokendir = ${tokenDirectory}`,
        ),
      ]
    if (isSamePlace(named, tokenDirectory)) return [ok(`its tokens lie in ${tokenDirectory}`)]
    return [
      problem(
        `${softhsmConf} (hsm.softhsmConf) has SoftHSM2 use the tokens in ${named}, and not those in ${tokenDirectory} (hsm.tokenDirectory)`,
        `Stop the daemon. Where ${tokenDirectory} is right, write "directories.tokendir = ${tokenDirectory}" into ${softhsmConf}; otherwise correct hsm.tokenDirectory.`,
      ),
    ]
  },
}
