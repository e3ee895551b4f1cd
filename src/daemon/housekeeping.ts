import type { Log } from '../log.ts'
import type { Services } from './services.ts'

/** Something that the appliance does by itself from time to time. */
interface Chore {
  /** What it does, for the journal: "destroying deleted keys". */
  readonly what: string
  /** A line for the journal per thing done; a bounded number at a time. */
  readonly run: () => Promise<readonly Readonly<Record<string, unknown>>[]>
}

/** Every chore there is. */
function choresOf({ keyDeletion, sessions, throttle, vaults, objectDestruction }: Services): readonly Chore[] {
  return [
    {
      what: 'destroying deleted keys that nobody can take back any more',
      run: async () => (await keyDeletion.destroyExpired()).map(({ vaultId: vault, name: key }) => ({ vault, key })),
    },
    {
      what: 'destroying data keys that deleted vaults left behind',
      run: async () => (await vaults.destroyDoomedKeys()).map((keyId) => ({ keyId })),
    },
    {
      what: 'destroying deleted objects whose recovery window has passed',
      run: async () =>
        (await objectDestruction.destroyExpired()).map(({ vaultId: vault, id: object }) => ({ vault, object })),
    },
    {
      what: 'removing uploads that no object has',
      run: async () => {
        const swept = await objectDestruction.sweepUploads()
        return swept === 0 ? [] : [{ uploads: swept }]
      },
    },
    {
      what: 'ending sessions whose time has passed',
      run: async () => {
        const ended = await sessions.endExpired()
        return ended === 0 ? [] : [{ sessions: ended }]
      },
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

const intervalMs = 600_000

/** The chores, in the first worker alone. */
export interface Housekeeping {
  stop(): void
}

/** Warns of what an operator must see to, at once and again when it changes. A chore that fails is told, keeps no other from its turn, and is tried again next time. */
export function startHousekeeping({ services, log }: { readonly services: Services; readonly log: Log }): Housekeeping {
  const chores = choresOf(services)
  const tidy = async (): Promise<void> => {
    for (const { what, run } of chores) {
      try {
        for (const done of await run()) log.info(done, what)
      } catch (error) {
        log.error({ err: error }, `${what} failed; it is tried again`)
      }
    }
  }
  let told: readonly string[] = []
  const warn = (): void => {
    const alarms = services.certificates.alarms()
    for (const alarm of alarms) if (!told.includes(alarm)) log.warn(alarm)
    told = alarms
  }
  warn()
  const timer = setInterval(() => {
    warn()
    void tidy()
  }, intervalMs)
  return { stop: () => clearInterval(timer) }
}
