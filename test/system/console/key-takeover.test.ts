import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { DataSource } from 'typeorm'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { TestClient } from '../../support/client.ts'
import { strongroom } from '../../support/console-kit.ts'
import { readObject } from '../../support/object-kit.ts'
import { hasPostgres } from '../../support/postgres.ts'
import { applianceOfRelease020, type ApplianceOfBefore, type VaultOfBefore } from '../../support/release-020.ts'

const entry = resolve(import.meta.dirname, '../../../dist/bin/strongroom.js')
const base64 = (text: string) => Buffer.from(text).toString('base64')
const message = base64('a message')

interface Counts {
  readonly keys: number
  readonly vaults: number
}

/** The rows of a statement, on SQLite or PostgreSQL. */
async function query<Row>({ postgres, database }: ApplianceOfBefore, sql: string): Promise<Row[]> {
  if (postgres === undefined) return database((connection) => connection.prepare<[], Row>(sql).all())
  const source = await new DataSource({ type: 'postgres', url: postgres.url }).initialize()
  try {
    return await source.query<Row[]>(sql)
  } finally {
    await source.destroy()
  }
}

async function change(appliance: ApplianceOfBefore, sql: string): Promise<void> {
  if (appliance.postgres === undefined) appliance.database((connection) => connection.exec(sql))
  else await query(appliance, sql)
}

async function numberOf(appliance: ApplianceOfBefore, sql: string): Promise<number> {
  const [row] = await query<{ readonly n: number | string }>(appliance, `SELECT (${sql}) AS n`)
  return Number(row?.n)
}

/** Numbers of keys and vaults that are not taken over yet. */
const leftOf = async (appliance: ApplianceOfBefore): Promise<Counts> => ({
  keys: await numberOf(appliance, 'SELECT count(*) FROM transparent_keys WHERE identity IS NULL'),
  vaults: await numberOf(appliance, 'SELECT count(*) FROM vaults WHERE key_layout = 1'),
})

async function init(appliance: ApplianceOfBefore) {
  const { stdout, stderr, status } = await strongroom(appliance.configFile, ['--json', 'init'])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return JSON.parse(stdout)
}

/** Checks that everything in an earlier vault works as before. */
async function serves(vault: VaultOfBefore, admin: TestClient): Promise<void> {
  const key = (name: string, more = '') => `/transparent/${vault.id}/keys/${name}${more}`
  const decrypting = (name: string, ciphertext: string) =>
    admin.call('POST', `/transparent/${vault.id}/decrypt/${name}`, { body: { ciphertext } })
  const decrypt = async (name: string, ciphertext: string) => {
    const { json } = await decrypting(name, ciphertext)
    return Buffer.from(String(json.CALLINFO['plaintext']), 'base64').toString()
  }
  const encrypt = async (name: string) =>
    String(
      (await admin.must('POST', `/transparent/${vault.id}/encrypt/${name}`, { plaintext: base64(name) })).CALLINFO[
        'ciphertext'
      ],
    )

  expect(await decrypt('ledger', vault.ledger[0])).toBe('first')
  expect(await decrypt('ledger', vault.ledger[1])).toBe('second')
  for (const name of ['strict', 'kept'] as const) expect(await decrypt(name, vault[name])).toBe(name)
  expect(await decrypt('restored', vault.strict)).toBe('strict')
  expect(await decrypt('retired', vault.retired[1])).toBe('second')
  expect((await decrypting('retired', vault.retired[0])).json.CALLINFO.status).toBe('FAIL')
  expect(await decrypt('trimmed', vault.trimmed[1])).toBe('second')
  expect((await decrypting('trimmed', vault.trimmed[0])).json.CALLINFO.status).toBe('FAIL')
  await admin.must('POST', key('gone', '/undelete'))
  expect(await decrypt('gone', vault.gone)).toBe('gone')
  for (const [name, member, made] of [
    ['signer', 'signature', vault.signature],
    ['mac', 'hmac', vault.mac],
  ] as const) {
    const body = { input: message, [member]: made }
    expect((await admin.must('POST', `/transparent/${vault.id}/verify/${name}`, body)).CALLINFO['valid']).toBe(true)
  }
  expect((await readObject(admin, vault.object, '?decrypt=true')).crypted).toMatchObject({
    password: 'S3cret-pass.phrase',
  })

  const { FILEDATA } = await admin.must('GET', `/object/${vault.file}?filedata=true`)
  expect(FILEDATA).toBe(base64('the content of a file'))

  // They work like present keys.
  for (const name of ['ledger', 'strict', 'kept', 'retired', 'trimmed', 'gone', 'restored'])
    expect(await decrypt(name, await encrypt(name))).toBe(name)
  await admin.must('POST', key('strict', '/rotate'))
  const ofNext = await encrypt('strict')
  await admin.must('PUT', key('strict', '/versions/1'), { enabled: false })
  expect((await decrypting('strict', vault.strict)).json.CALLINFO.status).toBe('FAIL')
  await admin.must('GET', `/transparent/export/${vault.id}/ledger`)
  const { KEYS } = await admin.must('GET', `/transparent/backup/${vault.id}/strict`)
  await admin.must('POST', `/transparent/restore/${vault.id}/copy`, KEYS)
  expect(await decrypt('copy', ofNext)).toBe('strict')
}

describe.each([
  { name: 'SQLite', dialect: 'sqlite', isThere: true },
  { name: 'PostgreSQL', dialect: 'postgres', isThere: hasPostgres },
] as const)('release 0.2.0 on $name', ({ dialect, isThere }) => {
  it.runIf(isThere)('the daemon of today refuses keys of release 0.2.0 until init has taken them over', async () => {
    const appliance = await applianceOfRelease020(onTestFinished, dialect)
    await expect(appliance.start()).rejects.toMatchObject({ message: expect.stringContaining('strongroom init') })
    const before = await numberOf(appliance, 'SELECT count(*) FROM transparent_keys')
    const answer = await init(appliance)
    expect(answer.takenOver).toEqual({ keys: before, vaults: 2, left: [] })
    expect(await leftOf(appliance)).toEqual({ keys: 0, vaults: 0 })
    expect(answer.backups).toMatchObject({ moved: expect.any(Number), left: 0, under: ['backup.v1'] })
    await appliance.start()
    const admin = await appliance.login(appliance.owner)
    for (const vault of [appliance.inToken, appliance.wrapped]) await serves(vault, admin)

    // A backup from release 0.2.0 names no vault, so the operator accepts it.
    const { inToken } = appliance
    const file = join(appliance.directory, 'ledger.backup')
    writeFileSync(file, inToken.backups.ledger)
    const accepting = ['vault', 'accept-backup', inToken.id, file]
    const restore = () =>
      admin.call('POST', `/transparent/restore/${inToken.id}/of-before`, { body: { backup: inToken.backups.ledger } })
    expect((await restore()).json.CALLINFO.status).toBe('FAIL')
    expect(await strongroom(appliance.configFile, accepting)).toMatchObject({ status: 0 })
    expect((await restore()).json.CALLINFO.status).toBe('SUCCESS')

    const again = await init(appliance)
    expect(again.takenOver).toEqual({ keys: 0, vaults: 0, left: [] })
  })

  it.runIf(isThere)('rows whose seals were not good before are left, and stop no others', async () => {
    const appliance = await applianceOfRelease020(onTestFinished, dialect)
    const idOf = (name: string) =>
      numberOf(appliance, `SELECT id FROM transparent_keys WHERE name = '${name}' AND vault_id = 1`)
    const [kept, ledger] = [await idOf('kept'), await idOf('ledger')]
    await change(
      appliance,
      `UPDATE transparent_keys SET allow_export = 1 WHERE id = ${kept};
     UPDATE key_versions SET disabled = 1 WHERE key_id = ${ledger} AND version = 1`,
    )
    const { left } = (await init(appliance)).takenOver
    expect(left).toEqual(['version 1 of key ledger of vault 1', 'the row of key kept of vault 1'])
    await appliance.start()
    const admin = await appliance.login(appliance.owner)
    const decrypt = async (name: string, ciphertext: string) => {
      const { json } = await admin.call('POST', `/transparent/1/decrypt/${name}`, { body: { ciphertext } })
      return json.CALLINFO.status
    }
    const { inToken } = appliance
    expect(await decrypt('ledger', inToken.ledger[1])).toBe('SUCCESS')
    expect(await decrypt('ledger', inToken.ledger[0])).toBe('FAIL')
    expect(await decrypt('kept', inToken.kept)).toBe('FAIL')
    expect(await decrypt('strict', inToken.strict)).toBe('SUCCESS')
  })
})

/** Runs `init` until the middle of the transaction of this key, and kills it there. */
async function killedAmid(appliance: ApplianceOfBefore, keyId: number): Promise<void> {
  appliance.database((connection) =>
    connection.exec(`CREATE TRIGGER standstill BEFORE UPDATE ON key_versions WHEN old.key_id = ${keyId} BEGIN
      SELECT count(*) FROM (WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT 1 FROM n) SELECT x FROM n);
    END`),
  )
  const pass = spawn(process.execPath, [entry, '--config', appliance.configFile, 'init'], { stdio: 'ignore' })
  const ended = new Promise((done) => pass.once('exit', done))
  while ((await firstLeft(appliance)) !== keyId && pass.exitCode === null) await delay(50)
  pass.kill('SIGKILL')
  await ended
  appliance.database((connection) => connection.exec('DROP TRIGGER standstill'))
}

const firstLeft = (appliance: ApplianceOfBefore): Promise<number> =>
  numberOf(appliance, 'SELECT min(id) FROM transparent_keys WHERE identity IS NULL')

it('a takeover that is killed goes on where it was', async () => {
  const appliance = await applianceOfRelease020()
  // Its daemon migrates the tables before it refuses.
  await expect(appliance.start()).rejects.toThrow()
  const { keys: total } = await leftOf(appliance)
  for (const keyId of [4, 9]) {
    await killedAmid(appliance, keyId)
    expect(await leftOf(appliance)).toEqual({ keys: total - keyId + 1, vaults: 2 })
    await expect(appliance.start()).rejects.toMatchObject({ message: expect.stringContaining('strongroom init') })
  }
  expect((await init(appliance)).takenOver).toEqual({ keys: total - 8, vaults: 2, left: [] })
  expect(await leftOf(appliance)).toEqual({ keys: 0, vaults: 0 })
  await appliance.start()
  const admin = await appliance.login(appliance.owner)
  for (const vault of [appliance.inToken, appliance.wrapped]) await serves(vault, admin)
}, 300_000)
