import { readFileSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { findingsOf, type Check } from './findings.ts'

const topic = 'SoftHSM2'
const { ok, problem } = findingsOf(topic)

/**
 * Whether SoftHSM2 uses the folder that backups and syncs are told of: after a folder was copied, its softhsm2.conf still
 * names the one that it was copied from.
 */
export const softhsmCheck: Check = {
  topic,
  run({ hsm: { softhsmConf, tokenDirectory } }) {
    if (softhsmConf === undefined || tokenDirectory === undefined) return []
    const named = tokenFolderIn(softhsmConf)
    if (named === undefined)
      return [
        problem(
          `${softhsmConf} (hsm.softhsmConf) names no folder for tokens`,
          `Write into it: directories.tokendir = ${tokenDirectory}`,
        ),
      ]
    if (real(named) === real(tokenDirectory)) return [ok(`its tokens lie in ${tokenDirectory}`)]
    return [
      problem(
        `${softhsmConf} (hsm.softhsmConf) has SoftHSM2 use the tokens in ${named}, and not those in ${tokenDirectory} (hsm.tokenDirectory)`,
        `Stop the daemon. Where ${tokenDirectory} is right, write "directories.tokendir = ${tokenDirectory}" into ${softhsmConf}; otherwise correct hsm.tokenDirectory.`,
      ),
    ]
  },
}

/** softhsm2.conf(5): `name = value`, # begins a comment, the last one counts. */
function tokenFolderIn(file: string): string | undefined {
  const values = [...readFileSync(file, 'utf8').matchAll(/^\s*directories\.tokendir\s*=\s*([^#\n]*)/gm)]
  const value = values.at(-1)?.[1]?.trim()
  return value === '' ? undefined : value
}

function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}
