import type { EarlierRows, EarlierVault } from '../earlier-rows.ts'
import { listFields, sealedFields } from '../protocol/fields.ts'
import { field, given, wrapped } from './replies.ts'
import type { Keeper } from './request-router.ts'

/** Number of fields of a version in the reply to `takeOverKey`. */
const versionFields = 6

/** Requests of the operator to the keeper for rows of an earlier release. */
export function takeoverCalls(keeper: Keeper) {
  return {
    async sealEarlier(record) {
      const reply = await keeper.call('sealEarlier', [record])
      return { identity: field(reply, 0), seal: field(reply, 1) }
    },
    takeOverVaultKey: async (vault) => field(await keeper.call('takeOverVaultKey', vaultFields(vault)), 0),
    async takeOverKey({ policy, versions, ...vault }) {
      const reply = await keeper.call('takeOverKey', [
        ...sealedFields(policy),
        ...vaultFields(vault),
        ...listFields(versions, ({ key, count }) => [key, count].flatMap(sealedFields)),
      ])
      return {
        identity: field(reply, 0),
        seal: field(reply, 1),
        versions: versions.map((_, index) => {
          const at = 2 + index * versionFields
          const backup = given(reply, at + 3) && wrapped(reply, at + 2)
          return { ...wrapped(reply, at), backup, seal: field(reply, at + 4), countSeal: field(reply, at + 5) }
        }),
      }
    },
    endTakeover: async () => void (await keeper.call('endTakeover', [])),
  } satisfies EarlierRows
}

const vaultFields = ({ vaultKey, vault }: EarlierVault) => [...sealedFields(vaultKey), ...sealedFields(vault)]
