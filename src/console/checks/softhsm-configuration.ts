import { basename } from 'node:path'
import { keeperOf } from '../../config/keeper-section.ts'
import type { Config } from '../../config/schema.ts'
import { isSamePlace, tokenFolderIn } from '../softhsm-file.ts'
import { findingsOf, type Check, type Finding } from './findings.ts'

const topic = 'SoftHSM2'
const { ok, problem } = findingsOf(topic)

/**
 * Checks that the folder of SoftHSM2's tokens is configured, so that it is backed up, synced and its file copied, and
 * that SoftHSM2 uses it. After a folder was copied, its softhsm2.conf still names the original.
 */
export const softhsmCheck: Check = {
  topic,
  run({ hsm }) {
    const { module, softhsmConf, tokenDirectory } = hsm
    const named = tokenFolderIn(softhsmConf)
    if (tokenDirectory === undefined)
      return softhsmConf === undefined && !basename(module).includes('softhsm') ? [] : [unconfigured(hsm, named)]
    if (softhsmConf === undefined) return []
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

function unconfigured(hsm: Config['hsm'], named = 'the folder of its tokens'): Finding {
  const { socket, operatorSocket, state } = keeperOf({ hsm })
  const isMoved = hsm.keeper === undefined && keeperOf({ hsm: { ...hsm, tokenDirectory: named } }).state !== state
  // Otherwise the keeper would begin with an empty file.
  const keeper = isMoved ? ` and hsm.keeper to ${JSON.stringify({ socket, operatorSocket, state })},` : ''
  return problem(
    'hsm.tokenDirectory is not set: no copy is kept of the file that SoftHSM2 empties at each login, so a login that is interrupted destroys every key; nor are its files synced',
    `Set hsm.tokenDirectory to ${named},${keeper} and restart everything.`,
  )
}
