import type { Config } from '../../config/schema.ts'
import { storeLocation } from '../../config/store-location.ts'
import { summariesOf } from '../../features/vaults/membership-records.ts'
import { pendingObjectIds } from '../../features/destruction/records.ts'
import { VaultTable } from '../../features/vaults/records.ts'
import { vaultKek } from '../../hsm/key-kind.ts'
import { listObjects, vaultKeyLabel } from '../../hsm/pkcs11/token-objects.ts'
import { withToken } from '../../hsm/pkcs11/token-opening.ts'
import { tokenLocationOf } from '../../hsm/server/token-location.ts'
import { inspectStore } from '../../store/inspection.ts'
import { withStore } from '../console-context.ts'
import { count } from '../output/command-answer.ts'
import { findingsOf, type Check, type Finding } from './findings.ts'

/** Compares the vaults in the database with the keys in the token. */
export const vaultKeysCheck: Check = {
  topic: 'vault keys',
  async run(config, _invocation, earlier) {
    const isTokenOpen = earlier.some(({ topic, state }) => topic === 'token' && state === 'ok')
    if (!isTokenOpen || !(await isMigrated(config))) return []
    const { vaults, keyless, pending, stray } = await compareVaultKeys(config)
    return keyFindings({ vaults, keyless, pending, stray })
  },
}

/** Compares vaults with keys. Opens the token in this process, so the PIN must be known to be right. */
export async function compareVaultKeys(config: Config) {
  const before = await vaultsOf(config)
  const keys = new Set(vaultKeyIds(config))
  // A vault created meanwhile gets its key first. So only the vaults that existed before must have a key by now.
  const keyless = before.filter(({ keyId }) => !keys.has(keyId))
  const pending = (await pendingKeysOf(config)).filter((id) => keys.has(id))
  const known = new Set([...(await vaultsOf(config)).map(({ keyId }) => keyId), ...pending])
  const stray = [...keys].filter((id) => !known.has(id))
  return { vaults: before.length, keyless, pending: pending.length, stray }
}

function keyFindings(found: {
  readonly vaults: number
  readonly keyless: readonly { readonly id: number; readonly name: string }[]
  /** Keys of deleted vaults that are still in the token. */
  readonly pending: number
  /** Keys that belong to no vault. */
  readonly stray: readonly string[]
}): Finding[] {
  const { ok, warning, problem } = findingsOf('vault keys')
  const { vaults, keyless, pending, stray } = found
  const findings = keyless.map(({ id, name }) =>
    problem(
      `vault ${id} (${name}) has no key in the token`,
      'Restore the token from its backup: without the key its objects are lost.',
    ),
  )
  if (pending > 0)
    findings.push(
      warning(
        `${count(pending, 'data key')} of deleted vaults ${pending === 1 ? 'is' : 'are'} still in the token`,
        'The daemon destroys what a deletion left behind every ten minutes; if this stays, look into its journal.',
      ),
    )
  if (stray.length > 0)
    findings.push(
      warning(
        `${stray.length} keys in the token belong to no vault (first ${stray[0]})`,
        'Harmless if vaults failed to be made; after restoring a database, restore one as new as the token.',
      ),
    )
  return findings.length > 0 ? findings : [ok(`${count(vaults, 'vault')}, none without its key in the token`)]
}

/** Finds vaults without an Admin who can log in and change their members. */
export const vaultAdminsCheck: Check = {
  topic: 'vault admins',
  async run(config) {
    const { ok, warning } = findingsOf('vault admins')
    if (!(await isMigrated(config))) return []
    const orphaned = (await withStore(config, (store) => summariesOf(store.read))).filter(
      ({ activeAdmins }) => activeAdmins === 0,
    )
    if (orphaned.length === 0) return [ok('every vault has an Admin who can log in')]
    return orphaned.map(({ id, name }) =>
      warning(
        `vault ${id} (${name}) has no Admin who can log in`,
        `Give it one: strongroom vault adopt ${id} <user>. Until then its members cannot be changed.`,
      ),
    )
  },
}

/** Whether the database has the tables of this release. Another check reports if it has not. */
export async function isMigrated(config: Config): Promise<boolean> {
  const { exists, pending } = await inspectStore(storeLocation(config))
  return exists && pending.length === 0
}

const vaultsOf = (config: Config) =>
  withStore(config, (store) => store.read.find(VaultTable, { where: { keyKek: vaultKek }, order: { id: 'ASC' } }))

const pendingKeysOf = (config: Config) => withStore(config, (store) => pendingObjectIds(store.read))

/**
 * CKA_ID (hexadecimal) of every vault key in the token, which this process opens itself.
 * @throws Fault `hsm.unavailable`; PinRefused
 */
function vaultKeyIds(config: Config): string[] {
  return withToken(tokenLocationOf(config), (token) =>
    listObjects(token)
      .filter(({ label }) => label === vaultKeyLabel)
      .map(({ id }) => id),
  )
}
