import { storePlace } from '../../daemon/appliance.ts'
import type { Config } from '../../config/schema.ts'
import { vaultKek } from '../../hsm/hsm.ts'
import { inspectStore } from '../../store/inspection.ts'
import { DoomedKeyTable, VaultTable } from '../../features/vaults/records.ts'
import { count } from '../output/answer.ts'
import { withStore } from '../console-context.ts'
import { findingsOf, type Check } from '../output/finding.ts'
import { vaultKeyIds } from './vault-key-ids.ts'

const subject = 'vault keys'
const { ok, warning, problem } = findingsOf(subject)

/** Holds the vaults in the database against the keys in the token. */
export const vaultKeysCheck: Check = {
  subject,
  async run(config) {
    const { exists, pending } = await inspectStore(storePlace(config))
    if (!exists || pending.length > 0) return []
    const before = await vaultsOf(config)
    const keys = new Set(vaultKeyIds(config))
    // A vault that is made meanwhile has its key first: only who was there before must have one by now.
    const keyless = before.filter(({ keyId }) => !keys.has(keyId))
    const doomed = (await doomedKeysOf(config)).filter(({ keyId }) => keys.has(keyId))
    const known = new Set([...(await vaultsOf(config)), ...doomed].map(({ keyId }) => keyId))
    const stray = [...keys].filter((id) => !known.has(id))
    if (keyless.length === 0 && stray.length === 0 && doomed.length === 0)
      return [ok(`${count(before.length, 'vault')}, none without its key in the token`)]
    return [
      ...keyless.map(({ id, name }) =>
        problem(
          `vault ${id} (${name}) has no key in the token`,
          'Restore the token from its backup: without the key its objects are lost.',
        ),
      ),
      ...(doomed.length === 0
        ? []
        : [
            warning(
              `${count(doomed.length, 'data key')} of deleted vaults ${doomed.length === 1 ? 'is' : 'are'} still in the token`,
              'The daemon destroys what a deletion left behind every ten minutes; if this stays, look into its journal.',
            ),
          ]),
      ...(stray.length === 0
        ? []
        : [
            warning(
              `${stray.length} keys in the token belong to no vault (first ${stray[0]})`,
              'Harmless if vaults failed to be made; after restoring a database, restore one as new as the token.',
            ),
          ]),
    ]
  },
}

const vaultsOf = (config: Config) =>
  withStore(config, (store) => store.read.find(VaultTable, { where: { keyKek: vaultKek }, order: { id: 'ASC' } }))

const doomedKeysOf = (config: Config) => withStore(config, (store) => store.read.find(DoomedKeyTable))
