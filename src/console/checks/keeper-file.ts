import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { keeperOf } from '../../config/keeper-section.ts'
import { isServed } from '../../hsm/protocol/served-socket.ts'
import { findingsOf, type Check, type Finding } from './findings.ts'

const topic = 'keeper'
const { ok, warning, problem } = findingsOf(topic)

/** Types of tmpfs and ramfs (statfs(2)). */
const memoryFileSystems: readonly number[] = [0x0102_1994, 0x8584_58f6]

/** Checks that the keeper answers, and that its files survive a restart of the machine. */
export const keeperCheck: Check = {
  topic,
  async run(config) {
    const { operatorSocket, socket, state, floors } = keeperOf(config)
    const served = await Promise.all([...config.hsm.sockets, socket, operatorSocket].map(isServed))
    const [answers, isOpen] = served.splice(-2)
    const findings = [state, floors].flatMap(fileFindings)
    // If no token host answers either, the daemon is not running, which another check reports.
    if (served.includes(true) && answers !== true)
      findings.unshift(
        problem(
          `none answers at ${socket}: no user can log in, and nothing can be changed`,
          'Start strongroom-keeper.service, or the daemon.',
        ),
      )
    else if (served.includes(true) && isOpen !== true)
      findings.unshift(
        problem(`none answers at ${operatorSocket}, the socket for the strongroom command`, 'Start its socket unit.'),
      )
    return findings.length > 0 ? findings : [ok(`its files are on permanent storage: back up ${dirname(state)}`)]
  },
}

function fileFindings(file: string): Finding[] {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (stat === undefined) return [warning(`${file} does not exist yet`, 'The keeper makes it when it starts.')]
  if (!memoryFileSystems.includes(statfsSync(file).type)) return []
  return [
    warning(
      `${file} lies in memory: with the next start of the machine the keeper forgets which records are the newest`,
      'Set hsm.keeper.state to a file on a disk.',
    ),
  ]
}
