import { keyMakerSocketOf } from '../../config/key-maker-socket.ts'
import { keeperOf } from '../../config/keeper-section.ts'
import type { Config } from '../../config/schema.ts'
import { createHsmClient } from '../../hsm/client/hsm-client.ts'
import type { FloorStanding } from '../../hsm/floor-news.ts'
import { isServed } from '../../hsm/protocol/served-socket.ts'
import { count } from '../output/command-answer.ts'
import { findingsOf, type Check, type Finding } from './findings.ts'

const { ok, warning, problem } = findingsOf('machines')

/** A keeper that publishes nothing for this long counts as silent; usually it does so every ten minutes. */
const silentMs = 3_600_000

/** Checks that the keepers of all machines on one database tell each other the floors of records. */
export const machinesCheck: Check = {
  topic: 'machines',
  async run(config) {
    const keeper = keeperOf(config).operatorSocket
    if (config.store.postgresUrlFile === undefined || !(await isServed(keeper))) return []
    return machineFindings(await standingAt(config, keeper), config.audit.machine, Date.now())
  },
}

async function standingAt({ hsm: settings }: Config, keeper: string): Promise<FloorStanding> {
  const { sockets, deadlineMs, queue } = settings
  const hsm = createHsmClient({ sockets, keyMakerSocket: keyMakerSocketOf(settings), keeper, deadlineMs, queue })
  try {
    return await hsm.floorNews()
  } finally {
    await hsm.close()
  }
}

function machineFindings({ others: known, faults }: FloorStanding, own: string | undefined, nowMs: number): Finding[] {
  const others = lastToldOf(known.filter(({ name }) => name !== own))
  const findings = faults.map((fault) =>
    problem(
      `${fault}: what is newest on one machine may be unknown to another`,
      'Find out who writes to the database; strongroom audit verify --database names rows that were put back. "Several machines" in docs/operations.md.',
    ),
  )
  for (const [name, toldAt] of others)
    if (nowMs - toldAt > silentMs)
      findings.push(
        warning(
          `machine ${name} has told nothing since ${new Date(toldAt).toISOString()}: it is off, or the database withholds it`,
          'Start its daemon, or look at its journal.',
        ),
      )
  if (findings.length > 0) return findings
  return [ok(`${count(others.size, 'other machine')} on this database`)]
}

/**
 * The last time of each machine by its name, because a machine that lost its keeper's files has a new id but the same
 * name.
 */
function lastToldOf(others: FloorStanding['others']): ReadonlyMap<string, number> {
  const newest = new Map<string, number>()
  for (const { name, toldAt } of others) newest.set(name, Math.max(newest.get(name) ?? 0, toldAt))
  return newest
}
