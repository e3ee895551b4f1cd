import { type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { keeperOf } from '../../config/keeper-section.ts'
import type { Config } from '../../config/schema.ts'
import { identitiesOf, type Identity } from '../../daemon/process-users.ts'
import { findingsOf, type Check, type Finding } from './findings.ts'

const { ok, problem } = findingsOf('separation')

const remedy = 'Have keeper and token hosts run under a user of their own: "Separate users" in docs/operations.md.'

/** Checks that the user of the workers, which are exposed to the network, cannot read the PIN. */
export const separationCheck: Check = {
  topic: 'separation',
  run(config) {
    const { hsm, audit, processes } = config
    if (hsm.spawn && processes === undefined)
      return [
        problem(
          'keeper and token hosts run under the user of the daemon, so a worker that is taken over can read the PIN: only for a trial',
          remedy,
        ),
      ]
    if (hsm.spawn && processes !== undefined) return launchedFindings(config, identitiesOf(processes))
    // The daemon's user owns the trail. Only the owner can read the PIN, or else the check "permissions" reports it.
    const owners = [hsm.pinFile, audit.directory].map((path) => statSync(path, { throwIfNoEntry: false })?.uid)
    const [ofPin, ofTrail] = owners
    if (ofPin === undefined || ofTrail === undefined || ofPin === 0 || ofPin !== ofTrail)
      return [ok('the user of the daemon does not own the PIN')]
    return [problem(`${hsm.pinFile} belongs to the user of the daemon, whose workers can read it`, remedy)]
  },
}

/** Findings for a daemon that root starts for two users. */
function launchedFindings({ hsm }: Config, { workers, inside }: ReturnType<typeof identitiesOf>): Finding[] {
  const keeper = keeperOf({ hsm })
  const secrets = [hsm.pinFile, hsm.tokenDirectory, dirname(keeper.state), keeper.state, keeper.floors]
  const open = secrets
    .filter((path) => path !== undefined)
    .filter((path) => mayRead(statSync(path, { throwIfNoEntry: false }), workers))
  const findings = open.map((path) =>
    problem(`${path} may be read by ${workers.name}, the user of the workers`, `chown ${inside.name}: ${path}`),
  )
  const serving = hsm.sockets.map((path) => statSync(path, { throwIfNoEntry: false })?.uid)
  if (serving.some((uid) => uid !== undefined && uid !== inside.uid))
    findings.push(
      problem(`the sockets of the token hosts do not belong to ${inside.name}`, 'Start the daemon as root.'),
    )
  return findings.length > 0 ? findings : [ok(`the PIN is ${inside.name}'s, the workers are ${workers.name}'s`)]
}

/** Whether the file's own mode lets the user read it, regardless of the folders above. */
function mayRead(stat: Stats | undefined, { uid, groups }: Identity): boolean {
  if (stat === undefined) return false
  if (stat.uid === uid) return true
  return (stat.mode & (groups.includes(stat.gid) ? 0o040 : 0o004)) !== 0
}
