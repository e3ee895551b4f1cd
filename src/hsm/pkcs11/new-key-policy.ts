import { Fault } from '../../fault.ts'
import type { SealedRecord } from '../hsm.ts'
import type { PlacedKey } from '../made-key.ts'
import { newKeyMs } from '../provenance.ts'
import { openSealed } from './seal-check.ts'
import { verify } from './seal-operations.ts'
import type { Token } from './token-link.ts'

/**
 * The place of a key that is to be made of material from outside, where its policy says just this. A key that is
 * there already gets none: whoever sent the material would know a key that others use. Keys that were made within the
 * last minutes the host cannot tell from new ones; the keeper can, and seals no received version of them.
 */
export function newKeyPlace(token: Token, policy: SealedRecord, says: Readonly<Record<string, unknown>>): PlacedKey {
  verify(token, policy)
  const { type, fields } = openSealed(policy.record)
  if (type === 'transparent key 2' && Date.now() - fields.createdAt <= newKeyMs) {
    const said: Readonly<Record<string, unknown>> = fields
    if (Object.entries(says).every(([name, value]) => isSaid(said[name], value)))
      return { identity: Buffer.from(fields.identity), vault: Buffer.from(fields.vault) }
  }
  throw new Fault('hsm.rejected', 'The policy of the key is not that of what comes in, or the key is there already.')
}

const isSaid = (said: unknown, value: unknown): boolean =>
  Buffer.isBuffer(said) && Buffer.isBuffer(value) ? said.equals(value) : said === value
