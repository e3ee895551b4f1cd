import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adoptBackupKeys, beginCeremony } from '../../src/hsm/pkcs11/backup-adoption.ts'
import { shareBackupKeys } from '../../src/hsm/pkcs11/backup-sharing.ts'
import { digestOf } from '../../src/hsm/pkcs11/ceremony-papers.ts'
import { base64, importBody, importJob } from '../api/transparent/key-kit.ts'
import { TestAppliance } from '../support/appliance.ts'
import { ceremonyOptions } from '../support/ceremony.ts'
import { makeOtherToken, type TestToken } from '../support/token.ts'
import { makeVault, type TestVault } from '../support/vault.ts'

// The attacker may create a vault, and has the package of a ceremony, from a courier's USB stick.

let appliance: TestAppliance
let other: TestToken
let vault: TestVault
let parcel: string

beforeAll(async () => {
  appliance = await TestAppliance.own()
  vault = await makeVault(appliance)
  other = makeOtherToken()
  await appliance.stop()
  const request = beginCeremony(ceremonyOptions(appliance.token))
  parcel = shareBackupKeys(ceremonyOptions(other), request, digestOf(request)).package
  adoptBackupKeys(ceremonyOptions(appliance.token), parcel, digestOf(parcel))
  await appliance.restart()
})
afterAll(async () => {
  await appliance.close()
  other.cleanup()
})

/** All values in the package that could be a wrapped key, and all pairs of them. */
function blobs(): Buffer[] {
  const { content } = JSON.parse(parcel) as { content: string }
  const { versions } = JSON.parse(content) as { versions: { keys: Record<string, string> }[] }
  const found = versions.flatMap(({ keys }) => Object.values(keys)).map((text) => Buffer.from(text, 'base64'))
  return [...found, ...found.flatMap((one) => found.map((another) => Buffer.concat([one, another])))]
}

describe('a user with the package of a ceremony', () => {
  it('imports no part of it as a key of his own, of whatever type', async () => {
    const open = { allow_export: true, allow_plaintext_export: true }
    const taken: string[] = []
    for (const type of ['aes256-gcm96', 'hmac-sha256', 'aes256-ctr']) {
      // A refused import does not use up the job.
      const { job } = await importJob(vault.admin, vault.id, type, { type, ...open })
      for (const blob of blobs())
        for (const body of [
          { job, wrapped_key: base64(blob) },
          { type, ...open, wrapped_key: base64(blob) },
        ])
          if ((await vault.admin.post(`/transparent/import/${vault.id}/${type}`, body)).status === 201) taken.push(type)
    }
    expect(taken).toEqual([])
    // A correctly wrapped key can be imported, and exported in plain.
    const policy = { type: 'aes256-gcm96', ...open }
    const own = await importBody(vault.admin, vault.id, 'own', Buffer.alloc(32, 7), policy)
    await vault.admin.must('POST', `/transparent/import/${vault.id}/own`, own)
    const { KEYS } = await vault.admin.must('GET', `/transparent/export/${vault.id}/own`)
    expect(KEYS).toMatchObject([{ key: base64(Buffer.alloc(32, 7)) }])
  })
})
