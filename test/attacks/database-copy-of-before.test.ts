import { afterAll, beforeAll, expect, it } from 'vitest'
import { createHsmClient } from '../../src/hsm/client/hsm-client.ts'
import { encodeRecord } from '../../src/hsm/key-record.ts'
import type { TestClient } from '../support/client.ts'
import { strongroom } from '../support/console-kit.ts'
import { sealedGrant } from '../support/grant-kit.ts'
import { withPin } from '../support/pin-session.ts'
import { type ApplianceOfBefore, applianceOfRelease020 } from '../support/release-020.ts'

// The attacker has a copy of the database of release 0.2.0, or of the time after its upgrade. He writes its rows over
// present ones: every row has a valid seal.

type Row = Record<string, unknown>
type Copy = Readonly<Record<Table, readonly Row[]>>
const tables = ['vaults', 'transparent_keys', 'key_versions'] as const
type Table = (typeof tables)[number]

let appliance: ApplianceOfBefore
let admin: TestClient
let ofRelease020: Copy
const cleanups: (() => Promise<void>)[] = []

beforeAll(async () => {
  appliance = await applianceOfRelease020((cleanup) => cleanups.push(cleanup))
  ofRelease020 = copied()
  expect(await strongroom(appliance.configFile, ['init'])).toMatchObject({ status: 0 })
  await appliance.start()
  admin = await appliance.login(appliance.owner)
})
afterAll(async () => {
  for (const cleanup of cleanups) await cleanup()
})

function copied(): Copy {
  const rowsOf = (table: Table) =>
    appliance.database((connection) => connection.prepare(`SELECT * FROM ${table}`).all() as Row[])
  return {
    vaults: rowsOf('vaults'),
    transparent_keys: rowsOf('transparent_keys'),
    key_versions: rowsOf('key_versions'),
  }
}

/** Id of a key of the first vault. */
const idOf = (name: string): unknown =>
  ofRelease020.transparent_keys.find((row) => row['name'] === name && row['vault_id'] === 1)?.['id']

function putBack(copy: Copy, table: Table, which: (row: Row) => boolean): void {
  appliance.database((connection) => {
    for (const row of copy[table].filter(which)) {
      const names = Object.keys(row)
      const sql = `INSERT OR REPLACE INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`
      connection.prepare(sql).run(...Object.values(row))
    }
  })
}

function change(sql: string, row: Row | undefined, ...columns: readonly string[]): void {
  appliance.database((connection) => connection.prepare(sql).run(...columns.map((column) => row?.[column])))
}

async function outcomes(call: () => ReturnType<TestClient['call']>): Promise<Set<unknown>> {
  const answers = []
  for (let calls = 0; calls < 4; calls++) answers.push((await call()).json.CALLINFO.status)
  return new Set(answers)
}
const served = new Set(['SUCCESS'])
const refused = new Set(['FAIL'])

const decrypting = (name: string, ciphertext: string) => () =>
  admin.call('POST', `/transparent/1/decrypt/${name}`, { body: { ciphertext } })

async function restart(): Promise<void> {
  await appliance.stop()
  await appliance.start()
}

it('an outdated row of a key that was taken over is refused', async () => {
  const { strict } = appliance.inToken
  expect(await outcomes(decrypting('strict', strict))).toEqual(served)
  const copy = copied()
  await admin.must('POST', '/transparent/1/keys/strict/rotate')
  await admin.must('PUT', '/transparent/1/keys/strict/versions/1', { enabled: false })
  putBack(copy, 'key_versions', (row) => row['key_id'] === idOf('strict') && row['version'] === 1)
  expect(await outcomes(decrypting('strict', strict))).toEqual(refused)
  await restart()
  expect(await outcomes(decrypting('strict', strict))).toEqual(refused)
})

it('rows of release 0.2.0 are refused after the takeover, and taken over no more', async () => {
  const exporting = () => admin.call('GET', '/transparent/export/1/ledger')
  const decrypt = decrypting('ledger', appliance.inToken.ledger[1])
  expect(await outcomes(exporting)).toEqual(served)
  await admin.must('PUT', '/transparent/1/keys/ledger', { allow_export: false })
  const copy = copied()
  putBack(ofRelease020, 'transparent_keys', (row) => row['id'] === idOf('ledger'))
  putBack(ofRelease020, 'key_versions', (row) => row['key_id'] === idOf('ledger'))
  expect(await outcomes(exporting)).toEqual(refused)
  expect(await outcomes(decrypt)).toEqual(refused)
  expect(await outcomes(() => admin.call('POST', '/transparent/1/keys/ledger/rotate'))).toEqual(refused)
  await restart()
  expect(await outcomes(exporting)).toEqual(refused)
  expect(await outcomes(decrypt)).toEqual(refused)
  expect(await strongroom(appliance.configFile, ['init'])).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/Not taken over.*\n {2}the row of key ledger of vault 1$/m) as unknown,
  })
  const [vault] = copy.vaults
  putBack(ofRelease020, 'vaults', (row) => row['id'] === 1)
  change('UPDATE vaults SET identity = ?, creator = ?, seal = ? WHERE id = 1', vault, 'identity', 'creator', 'seal')
  expect(await strongroom(appliance.configFile, ['init'])).toMatchObject({
    status: 3,
    stderr: expect.stringMatching(/key ledger of vault 1: The earlier rows were already taken over/) as unknown,
  })
  expect(await outcomes(decrypt)).toEqual(refused)
  putBack(copy, 'vaults', (row) => row['id'] === 1)
  putBack(copy, 'transparent_keys', (row) => row['id'] === idOf('ledger'))
  putBack(copy, 'key_versions', (row) => row['key_id'] === idOf('ledger'))
  expect(await outcomes(decrypt)).toEqual(served)
})

it('records of release 0.2.0 serve no host, whatever grant a worker has', async () => {
  const row = ofRelease020.key_versions.find((one) => one['key_id'] === idOf('strict'))
  const key = ofRelease020.transparent_keys.find((one) => one['id'] === idOf('strict'))
  if (row === undefined || key === undefined) throw new Error('the copy has no such key')
  const bytes = (column: unknown) => Buffer.from(String(column), 'base64')
  const blobs = ['strict.v1', bytes(row['blob'])] as const
  const backup = [String(row['backup_kek']), bytes(row['backup_blob'])] as const
  const version = ['transparent key version', idOf('strict') as number, 1, String(key['type']), 1, null, ...backup]
  const record = encodeRecord(['aes128-gcm', ...blobs, ...version, 0, Number(row['created_at'])])
  const sealed = { record, seal: bytes(row['seal']) }
  const hsm = createHsmClient({ sockets: [appliance.sockets.host], deadlineMs: 60_000, queue: 8 })
  try {
    await hsm.verify(sealed)
    const vault = appliance.database((connection) =>
      connection.prepare('SELECT identity FROM vaults WHERE id = 1').pluck().get(),
    )
    const grant = sealedGrant(appliance, { vault: Buffer.from(String(vault), 'hex') })
    const reference = { key: sealed, policy: { record: Buffer.alloc(0), seal: Buffer.alloc(0) }, grant }
    await expect(hsm.decrypt(reference, Buffer.alloc(40))).rejects.toMatchObject({
      code: 'hsm.rejected',
      detail: expect.stringContaining('strongroom init'),
    })
  } finally {
    await hsm.close()
  }
})

it('a key of release 0.2.0 ends with the key of its vault, in a copy from after the upgrade too', async () => {
  const decrypt = decrypting('trimmed', appliance.inToken.trimmed[1])
  expect(await outcomes(decrypt)).toEqual(served)
  await appliance.stop()
  // The key of the second vault is wrapped in the database.
  withPin(appliance, ({ lib, session, objects }) => {
    for (const { handle, label } of objects) if (label === 'strongroom.vault') lib.C_DestroyObject(session, handle)
  })
  await appliance.start()
  expect(await outcomes(decrypt)).toEqual(refused)
})
