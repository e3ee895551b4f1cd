import type { VaultAccess } from '../../access/caller.ts'
import { entriesFor, type Scope } from '../../access/scope.ts'
import { type AnyEndpoint, keyOperationOf } from '../contract/endpoint.ts'
import type { JsonObject } from '../contract/envelope.ts'
import { refuseUnknownMembers } from '../input/unknown-members.ts'

/**
 * Refuses unknown members where a vault of the call is strict, or an entry of the grants under which a narrowed member
 * makes the call is.
 * @throws Fault `request.invalid`
 */
export function refuseUnknownMembersIfStrict(
  contract: AnyEndpoint,
  vaults: readonly (VaultAccess | undefined)[],
  name: string | undefined,
  sent: JsonObject,
): void {
  for (const vault of vaults)
    if (vault?.strict || (vault && hasStrictEntry(contract, vault.scope, name))) refuseUnknownMembers(contract, sent)
}

function hasStrictEntry(contract: AnyEndpoint, scope: Scope | null, name: string | undefined): boolean {
  if (scope === null) return false
  const operation = keyOperationOf(contract)
  if (operation === undefined) return false
  return entriesFor(scope, operation, { name }).some(({ entry }) => entry.strict)
}
