import type { SealedGrant } from '../../src/access/transaction-grant.ts'
import { sessionTokenHash } from '../../src/access/session-token-form.ts'
import { sessionGrant } from '../../src/features/auth/caller-grants.ts'
import type { Hsm } from '../../src/hsm/hsm.ts'
import type { TestAppliance } from './appliance.ts'
import type { TestClient } from './client.ts'

/** What the keeper grants the session of a client that passes through a worker; `memberOf`: in a vault. */
export function grantOfSession(
  { store }: Pick<TestAppliance, 'store'>,
  worker: Pick<Hsm, 'grant'>,
  { token }: TestClient,
  memberOf: Parameters<typeof sessionGrant>[3] = () => Promise.resolve(undefined),
): Promise<SealedGrant> {
  const shown = token ?? ''
  return sessionGrant(worker, store.read, { token: shown, hash: sessionTokenHash(shown) }, memberOf)
}
