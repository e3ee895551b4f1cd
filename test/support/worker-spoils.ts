import { devicesOf, deviceKey } from '../../src/features/otp/records.ts'
import { ImportJobTable } from '../../src/features/transparent/import-job-records.ts'
import { findKey, type StoredKey } from '../../src/features/transparent/records.ts'
import { sealedCount } from '../../src/features/transparent/sealing.ts'
import { findVault } from '../../src/features/vaults/records.ts'
import { vaultKeyReference } from '../../src/features/vaults/vault-key.ts'
import { sealedVault } from '../../src/features/vaults/vault-seals.ts'
import type { KeyReference, SealedRecord } from '../../src/hsm/hsm.ts'
import { composeRecord } from '../../src/hsm/record-layouts.ts'
import type { TestAppliance } from './appliance.ts'
import { grantIn } from './grant-kit.ts'
import { latestReference } from './key-references.ts'
import { makeVault, type TestVault } from './vault.ts'

/**
 * Records of one user that a worker can read in the database: keys of the user's vault, its data key, a device, a
 * backup.
 */
export interface Spoils {
  readonly vault: TestVault
  readonly cipher: StoredKey
  readonly references: Readonly<Record<'cipher' | 'mac' | 'pair' | 'vaultKey' | 'device' | 'totp', KeyReference>>
  readonly count: SealedRecord
  readonly vaultKeyId: string
  /** The sealed row of the vault. */
  readonly vaultRecord: SealedRecord
  readonly backup: Buffer
  readonly job: SealedRecord
}

const typeOf = { cipher: 'aes256-gcm96', mac: 'hmac-sha256', pair: 'ecdsa-p256' } as const

export async function spoilsOf(appliance: TestAppliance, flags: Readonly<Record<string, unknown>>): Promise<Spoils> {
  const { read } = appliance.store
  const user = await appliance.addUser()
  const vault = await makeVault(appliance, 'Spoils', await appliance.login(user))
  const stored = async (name: keyof typeof typeOf): Promise<StoredKey> => {
    await vault.admin.must('POST', `/transparent/${vault.id}/keys/${name}`, { type: typeOf[name], ...flags })
    return present(await findKey(read, Number(vault.id), name))
  }
  const cipher = await stored('cipher')
  const { KEYS: keys } = await vault.admin.must('GET', `/transparent/backup/${vault.id}/cipher`)
  const job = { type: 'aes256-gcm96' }
  // Its RSA key comes from the key maker, which starts last.
  const path = `/transparent/import_job/${vault.id}/wanted`
  for (let tries = 0; tries < 160 && (await vault.admin.call('POST', path, { body: job })).status === 503; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 250))
  const wanted = present(await read.findOneBy(ImportJobTable, { vaultId: Number(vault.id), name: 'wanted' }))
  const row = present(await findVault(read, Number(vault.id)))
  const [totp] = await devicesOf(read, user.id, 'totp')
  const [hardware] = await devicesOf(read, user.id, 'hwkey_otp')
  const reference = (key: StoredKey) => latestReference(appliance, key)
  return {
    vault,
    cipher,
    references: {
      cipher: await reference(cipher),
      mac: await reference(await stored('mac')),
      pair: await reference(await stored('pair')),
      vaultKey: await vaultKeyReference({ ...row, grant: () => grantIn(appliance, row.id) }),
      device: deviceKey(present(hardware)),
      totp: deviceKey(present(totp)),
    },
    count: sealedCount(cipher.key, cipher.latest),
    vaultKeyId: row.keyId,
    vaultRecord: sealedVault(row),
    backup: Buffer.from((keys as { backup: string }).backup, 'base64'),
    job: {
      record: composeRecord('import job', {
        ...wanted,
        vault: cipher.key.vault,
        kind: 'aes256-gcm',
      }),
      seal: wanted.seal,
    },
  }
}

export function present<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('what was made is not in the database')
  return value
}
