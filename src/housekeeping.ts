import type { Log } from './log.ts'
import type { Keyring } from './transparent/keyring.ts'

/** How often keys are looked for whose recovery window has passed, in milliseconds. */
const intervalMs = 600_000

/** What the appliance does by itself, in the first worker alone. */
export interface Housekeeping {
  stop(): void
}

/** Destroys deleted keys when nobody can take them back any more. A failure is told and tried again next time. */
export function startHousekeeping({ keyring, log }: { readonly keyring: Keyring; readonly log: Log }): Housekeeping {
  const tidy = async (): Promise<void> => {
    try {
      for (const { vaultId, name } of await keyring.destroyExpired())
        log.info({ vault: vaultId, key: name }, 'a deleted key was destroyed')
    } catch (error) {
      log.error({ err: error }, 'deleted keys could not be destroyed; this is tried again')
    }
  }
  const timer = setInterval(() => void tidy(), intervalMs)
  return { stop: () => clearInterval(timer) }
}
