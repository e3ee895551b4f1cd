import { Fault } from '../../fault.ts'
import type { SealedRecord } from '../hsm.ts'
import type { KeyIdentity } from '../made-key.ts'
import { newKeyMs } from '../provenance.ts'
import { openSealed } from './seal-check.ts'
import { verify } from './seal-operations.ts'
import type { Token } from './token-link.ts'

/**
 * Returns the identity for a key that is made from imported or restored material, where its sealed policy has the fields
 * of `says` and is new. A key that exists already gets none: otherwise the sender of the material would know a key that
 * others use. The host cannot tell a key of the last minutes (`newKeyMs`) from a new one. The keeper can, and seals no
 * received version of such a key.
 * @throws Fault `hsm.seal_broken`, `hsm.rejected`
 */
export function newKeyIdentity(
  token: Token,
  policy: SealedRecord,
  says: Readonly<Record<string, unknown>>,
): KeyIdentity {
  verify(token, policy)
  const { type, fields } = openSealed(policy.record)
  if (type === 'transparent key 2' && Date.now() - fields.createdAt <= newKeyMs) {
    const said: Readonly<Record<string, unknown>> = fields
    if (Object.entries(says).every(([name, value]) => isSaid(said[name], value)))
      return { identity: Buffer.from(fields.identity), vault: Buffer.from(fields.vault) }
  }
  throw new Fault('hsm.rejected', 'The policy of the key does not fit the import or backup, or the key exists already.')
}

const isSaid = (said: unknown, value: unknown): boolean =>
  Buffer.isBuffer(said) && Buffer.isBuffer(value) ? said.equals(value) : said === value
