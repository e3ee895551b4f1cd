import { beforeAll, expect, it } from 'vitest'
import { findVersions } from '../../src/features/transparent/records.ts'
import { sealedCount, sealedPolicy, sealedVersion } from '../../src/features/transparent/sealing.ts'
import { createSealedVaultKeys } from '../../src/features/transparent/sealed-vault-keys.ts'
import { decodeContent, readKeyBackup } from '../../src/hsm/key-backup-record.ts'
import { listFields, sealedFields } from '../../src/hsm/protocol/fields.ts'
import { mostInFrame } from '../../src/hsm/protocol/batch-frame.ts'
import { applianceForTests, vaultForTests } from '../support/for-tests.ts'
import { ask, type FrameAnswer } from '../support/frame-caller.ts'
import { grantIn } from '../support/grant-kit.ts'
import { makeKey, storedKey } from '../support/stored-keys.ts'

/**
 * The attacker has code in a worker, or a key with thousands of versions and the right to back it up. A token host
 * verifies two seals of each version, and answered nobody before the last one.
 */
const appliance = applianceForTests()
const vault = vaultForTests(appliance)
const versionsOfKey = 2 * mostInFrame.keys + 2
let name: string

beforeAll(async () => {
  name = (await makeKey(appliance, vault)).key.name
  for (let made = 1; made < versionsOfKey; made += 1) await vault.admin.must('POST', `${vault.keyPath(name)}/rotate`)
})

/** What a worker sends to back up these versions, from the first up to the last. */
async function backUp(
  first: number,
  last: number,
  isPart: boolean,
  parts: readonly Buffer[] = [],
): Promise<FrameAnswer> {
  const { key } = await storedKey(appliance, vault.id, name)
  const { vaultKey } = await createSealedVaultKeys(appliance.store).of(key.vaultId)
  const versions = (await findVersions(appliance.store.read, key.id)).filter(
    ({ version }) => version >= first && version <= last,
  )
  return ask(appliance.config.hsm.sockets[0] ?? '', 'sealBackup', [
    ...[sealedPolicy(key), await grantIn(appliance, key.vaultId), vaultKey].flatMap(sealedFields),
    ...listFields(versions, (version) =>
      [sealedVersion(key, version), sealedCount(key, version)].flatMap(sealedFields),
    ),
    Buffer.from(isPart ? '1' : '0'),
    ...listFields(parts, (part) => [part]),
  ])
}

const made = (answer: FrameAnswer): Buffer => {
  if ('fault' in answer) throw new Error(answer.detail)
  return answer.fields[0] ?? Buffer.alloc(0)
}
const refused = { fault: 'hsm.rejected' }

it('more versions than a host reads in one go are refused, and backed up in parts', async () => {
  expect(await backUp(1, mostInFrame.keys + 1, false)).toMatchObject(refused)
  const { KEYS } = await vault.admin.must('GET', `/transparent/backup/${vault.id}/${name}`)
  const { backup } = KEYS as { backup: string }
  const { versions } = decodeContent(readKeyBackup(Buffer.from(backup, 'base64')).content)
  expect(versions.map(({ version }) => version)).toEqual(Array.from({ length: versionsOfKey }, (_, at) => at + 1))
  const ciphertext = await vault.encrypt(name, 'eA==')
  await vault.admin.must('POST', `/transparent/restore/${vault.id}/restored`, { backup })
  const { CALLINFO } = await vault.admin.must('POST', `/transparent/${vault.id}/decrypt/restored`, { ciphertext })
  expect(CALLINFO['plaintext']).toBe('eA==')
})

it('a part is no backup, and serves in its place and under its policy only', async () => {
  const part = made(await backUp(1, 2, true))
  const restored = await vault.admin.call('POST', `/transparent/restore/${vault.id}/part`, {
    body: { backup: part.toString('base64') },
  })
  expect(restored.json.CALLINFO.errorcodes).not.toBe(0)
  expect(await backUp(3, 4, false, [part])).toMatchObject({ fields: [expect.any(Buffer)] })
  expect(await backUp(2, 3, false, [part])).toMatchObject(refused)
  expect(await backUp(3, 4, false, [part, part])).toMatchObject(refused)
  expect(await backUp(3, 4, true, [part])).toMatchObject(refused)
  const whole = made(await backUp(1, 2, false))
  expect(await backUp(3, 4, false, [whole])).toMatchObject(refused)
  const altered = Buffer.from(part)
  altered[altered.length - 1] = (altered.at(-1) ?? 0) ^ 1
  expect(await backUp(3, 4, false, [altered])).toMatchObject({ fault: 'hsm.seal_broken' })
  await vault.admin.must('PUT', vault.keyPath(name), { allow_export: false, min_encryption_version: 2 })
  expect(await backUp(3, 4, false, [part])).toMatchObject(refused)
})
