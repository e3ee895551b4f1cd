import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { keeperOf } from '../../config/keeper-section.ts'
import type { Config } from '../../config/schema.ts'
import { readSecret } from '../../config/loader.ts'
import { sentenceOf } from '../exit-code.ts'
import { findingsOf, type Check, type Finding } from './findings.ts'

const topic = 'permissions'
const { ok, problem } = findingsOf(topic)

/** Checks that only owners can read secrets, and that no other user can write to folders that the appliance trusts. */
export const permissionsCheck: Check = {
  topic,
  run(config) {
    const findings = [...secretsOf(config).flatMap(secretFinding), ...foldersOf(config).flatMap(folderFinding)]
    return findings.length > 0 ? findings : [ok('secrets and folders are private')]
  },
}

function secretsOf({ hsm, tls, store }: Config): string[] {
  return [hsm.pinFile, tls.key, ...(store.postgresUrlFile === undefined ? [] : [store.postgresUrlFile])]
}

function foldersOf({ hsm, store, audit, processes }: Config): [setting: string, folder: string][] {
  return [
    ['hsm.keeper.state', dirname(keeperOf({ hsm }).state)],
    ['audit.directory', audit.directory],
    ...(store.sqlite === undefined ? [] : [['store.sqlite', dirname(store.sqlite)] as [string, string]]),
    ...(hsm.tokenDirectory === undefined ? [] : [['hsm.tokenDirectory', hsm.tokenDirectory] as [string, string]]),
    ...hsm.sockets
      .map((socket): [string, string] => ['hsm.sockets', dirname(socket)])
      // A daemon that root starts for two users creates this folder itself.
      .filter(([, folder]) => processes === undefined || existsSync(folder)),
  ]
}

function secretFinding(file: string): Finding[] {
  try {
    readSecret(file)
    return []
  } catch (error) {
    return [{ topic, state: 'problem', detail: sentenceOf(error) }]
  }
}

function folderFinding([setting, folder]: [string, string]): Finding[] {
  const stat = statSync(folder, { throwIfNoEntry: false })
  if (stat === undefined)
    return [
      problem(
        `${folder} (${setting}) does not exist`,
        `Mount its disk, restore it from a backup, or correct ${setting}. On a new appliance make it, owned by the user of the process that needs it, with mode 0700.`,
      ),
    ]
  if ((stat.mode & 0o022) === 0) return []
  const mode = (stat.mode & 0o7777).toString(8).padStart(4, '0')
  return [problem(`${folder} (${setting}) may be written by others (mode ${mode})`, `chmod go-w ${folder}`)]
}
