import { random, seal } from '../pkcs11/seal-operations.ts'
import type { Token } from '../pkcs11/token-link.ts'
import { identityBytes } from '../record-layouts.ts'
import { accountOf } from './account-ids.ts'
import { takeOverKey, takeOverVaultKey } from './earlier-keys.ts'
import type { KeeperHandlers } from './keeper-handlers.ts'
import type { KeeperMemory } from './keeper-memory.ts'
import { checkOperator, type Origin } from './record-change.ts'
import { opened } from './shown-record.ts'
import { earlierRecord } from './takeover.ts'

/** Operations on rows of earlier releases. */
export function createTakeoverHandlers(
  token: Token,
  { takeover, accountIds }: Pick<KeeperMemory, 'takeover' | 'accountIds'>,
  origin: Origin,
) {
  const checkAllowed = () => {
    checkOperator(origin)
    takeover.checkOpen()
  }
  return {
    sealEarlier(fields) {
      checkAllowed()
      const record = earlierRecord(opened(fields.bytes()), () => random(token, identityBytes))
      const taken = opened(record)
      const [account, sealed] = [accountOf(taken), taken.fields]
      if (account !== undefined) accountIds.take(account)
      return ['identity' in sealed ? sealed.identity : Buffer.alloc(0), seal(token, record)]
    },
    takeOverVaultKey(fields) {
      checkAllowed()
      return takeOverVaultKey(token, fields)
    },
    takeOverKey(fields) {
      checkAllowed()
      return takeOverKey(token, fields)
    },
    endTakeover() {
      checkOperator(origin)
      takeover.end()
      return []
    },
  } satisfies KeeperHandlers
}
