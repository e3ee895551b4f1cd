import { Fault } from '../../fault.ts'
import type { Store } from '../../store/store.ts'
import { countInToken, type TransparentKey } from './records.ts'

/** Limits of versions created on request. Automatic rotation is not limited. */
export interface VersionRules {
  /** Per key. */
  readonly versionsPerKey: number
  /** All versions together that reside in the token. */
  readonly versionsInToken: number
}

/** Checks the limits of versions. Parallel calls are not serialized, so they may exceed a limit by a few. */
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
