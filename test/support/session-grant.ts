import type { SealedGrant } from '../../src/access/transaction-grant.ts'
import { sessionTokenHash } from '../../src/access/session-token-form.ts'
import { sessionGrant } from '../../src/features/auth/caller-grants.ts'
import type { User } from '../../src/features/users/records.ts'
import type { Hsm, SealedRecord } from '../../src/hsm/hsm.ts'
import type { TestAppliance } from './appliance.ts'
import type { TestClient } from './client.ts'

/**
 * The grant of the keeper for the session of a client, as a worker can get it. `memberOf`: for a membership of this
 * vault.
 */
export function grantOfSession(
  { store }: Pick<TestAppliance, 'store'>,
  worker: Pick<Hsm, 'grant'>,
  { token }: TestClient,
  memberOf?: (user: User) => Promise<SealedRecord | undefined>,
): Promise<SealedGrant> {
  const shown = token ?? ''
  return sessionGrant(worker, store.read, { token: shown, hash: sessionTokenHash(shown) }, async (user) => ({
    membership: await memberOf?.(user),
  }))
}
