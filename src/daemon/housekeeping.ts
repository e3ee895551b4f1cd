import type { Log } from '../log.ts'
import type { BelievedClock } from './believed-clock.ts'
import type { Services } from './services.ts'

/** Work that the appliance does periodically. */
interface Chore {
  /** Its description in the journal: "destroying deleted keys". */
  readonly what: string
  /** Whether it destroys what could be taken back before: not while the clock may be ahead. */
  readonly isFinal?: true
  /**
   * Does a bounded part of the work; resolves to one line for the journal per item, and to none when nothing is left.
   */
  readonly run: () => Promise<readonly Readonly<Record<string, unknown>>[]>
}

/** All chores. */
export function choresOf({
  keyDeletion,
  importJobs,
  links,
  sessions,
  throttle,
  destruction,
  objectDestruction,
  users,
  showMemberships,
  validationClients,
}: Services): readonly Chore[] {
  return [
    {
      what: 'destroying deleted keys whose recovery window has passed',
      isFinal: true,
      run: async () => (await keyDeletion.destroyExpired()).map(({ vaultId: vault, name: key }) => ({ vault, key })),
    },
    {
      what: 'deleting import jobs whose time has passed',
      run: async () => counted('importJobs', await importJobs.sweep()),
    },
    {
      what: 'removing what one-time links leave whose time has passed',
      isFinal: true,
      run: async () => counted('links', await links.sweep()),
    },
    {
      what: 'telling the keeper what there is and what has ended',
      run: () => tellKeeper({ destruction, validationClients, users, showMemberships }),
    },
    {
      what: 'destroying keys in the token that deleted vaults and keys left behind',
      run: async () => (await destruction.destroyPending()).map((object) => ({ object })),
    },
    {
      what: 'destroying deleted objects whose recovery window has passed',
      isFinal: true,
      run: async () =>
        (await objectDestruction.destroyExpired()).map(({ vaultId: vault, id: object }) => ({ vault, object })),
    },
    {
      what: 'removing uploads that no object has',
      run: async () => counted('uploads', await objectDestruction.sweepUploads()),
    },
    {
      what: 'ending sessions whose time has passed',
      run: async () => counted('sessions', await sessions.endExpired()),
    },
    {
      what: 'forgetting failed logins that count no more',
      run: async () => {
        await throttle.sweep()
        return []
      },
    },
  ]
}

/** A line of the journal for what was done, if anything. */
const counted = (what: string, count: number) => (count === 0 ? [] : [{ [what]: count }])

/** Shows the keeper records that it may have missed. A refused row of one kind does not stop the other kinds. */
async function tellKeeper({
  destruction,
  validationClients,
  users,
  showMemberships,
}: Pick<Services, 'destruction' | 'validationClients' | 'users' | 'showMemberships'>): Promise<readonly []> {
  const told = await Promise.allSettled([
    destruction.showTombstones(),
    validationClients.showRevoked(),
    users.showAll(),
    showMemberships(),
  ])
  for (const one of told) if (one.status === 'rejected') throw one.reason
  return []
}

/** Soon after the start, so that a daemon that is restarted often does its chores as well. */
const firstRunMs = 30_000
const intervalMs = 600_000
/** Pause between two parts of a chore, for other writers. */
const pauseMs = 1_000

/** Runs the chores, in the first worker only. */
export interface Housekeeping {
  /** Resolves once the chore under way, if any, has ended. */
  stop(): Promise<void>
}

export interface HousekeepingOptions {
  readonly services: Services
  readonly log: Log
  readonly believedClock: BelievedClock
}

/**
 * Runs each chore to its end. A failed chore is written to the journal, does not stop the others, and is tried again
 * next time.
 */
export function startHousekeeping({ services, log, believedClock }: HousekeepingOptions): Housekeeping {
  const chores = choresOf(services)
  let stopping = false
  // Asked at the start, too, so that the time of a short run is known to the next one.
  let underWay: Promise<void> = believedClock.isBelieved().then(() => undefined)
  let timer = setTimeout(turn, firstRunMs)
  let endPause: (() => void) | undefined

  /** Does one part; resolves to whether there may be more. */
  async function did({ what, run }: Chore): Promise<boolean> {
    try {
      const lines = await run()
      for (const line of lines) log.info(line, what)
      return lines.length > 0
    } catch (error) {
      log.error({ err: error }, `${what} failed; it is tried again`)
      return false
    }
  }

  /** Asked before each part, since the clock may be set during the hours that a million items take. */
  const mayDo = async ({ isFinal }: Chore): Promise<boolean> => isFinal !== true || believedClock.isBelieved()

  /** In rounds, so that a chore with a million items does not hold up the others. */
  async function tidy(): Promise<void> {
    for (let left = chores; ;) {
      const more: Chore[] = []
      for (const chore of left) if (!stopping && (await mayDo(chore)) && (await did(chore))) more.push(chore)
      if (more.length === 0 || stopping) return
      left = more
      await new Promise<void>((resolve) => {
        endPause = resolve
        timer = setTimeout(resolve, pauseMs)
      })
    }
  }

  function turn(): void {
    underWay = tidy().finally(() => {
      if (!stopping) timer = setTimeout(turn, intervalMs)
    })
  }

  return {
    async stop() {
      stopping = true
      clearTimeout(timer)
      endPause?.()
      await underWay
    },
  }
}
