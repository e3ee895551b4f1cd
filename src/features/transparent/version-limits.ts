import { Fault } from '../../fault.ts'
import type { Store } from '../../store/store.ts'
import { countInToken, type TransparentKey } from './records.ts'

/** How many versions there may be by calls that ask for them; what keys do by themselves goes on. */
export interface VersionRules {
  /** Of one key. */
  readonly versionsPerKey: number
  /** Of all keys that reside in the token. */
  readonly versionsInToken: number
}

/** The bounds of versions. Calls under way at once are not held up for them: they may make some more. */
export interface VersionLimits {
  /** @throws Fault `key.versions` */
  checkKey(key: Pick<TransparentKey, 'oldestVersion' | 'latestVersion'>): void
  /** @throws Fault `key.token_full` */
  checkToken(key: Pick<TransparentKey, 'residency'>): Promise<void>
}

export function createVersionLimits({ read }: Pick<Store, 'read'>, rules: VersionRules): VersionLimits {
  return {
    checkKey({ oldestVersion, latestVersion }) {
      if (latestVersion - oldestVersion + 1 >= rules.versionsPerKey) throw new Fault('key.versions')
    },
    async checkToken({ residency }) {
      if (residency === 'token' && (await countInToken(read)) >= rules.versionsInToken)
        throw new Fault('key.token_full')
    },
  }
}
