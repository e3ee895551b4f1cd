import { execFileSync, type ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startDaemon, TestAppliance, type TestUser, twoWorkers } from '../../support/appliance.ts'
import { type AgePair, givenAgePair, givenFolder } from '../../support/backup-kit.ts'
import { strongroom } from '../../support/console-kit.ts'
import { eventually, under, verdict } from '../../support/fault-kit.ts'
import { totpCode } from '../../support/hardware-token.ts'
import { createObject, readObject, upload } from '../../support/object-kit.ts'
import { hasPostgres, startPostgres, type TestPostgres } from '../../support/postgres.ts'
import { makeVault } from '../../support/vault.ts'

/** Results of one round of a writer. */
interface Kept {
  readonly user: TestUser
  readonly vault: string
  readonly secret: string
  readonly file: string
  readonly ciphertext: string
  readonly content: string
}

/** Makes a user, a vault, a key, an object and a file, so that the token gets keys while it is copied. */
async function writeRound(appliance: TestAppliance, content: string): Promise<Kept> {
  const user = await appliance.addUser()
  const client = await appliance.login(user)
  const vault = await makeVault(appliance, content, client)
  return {
    user,
    vault: vault.id,
    content,
    secret: await createObject(client, vault.id, { password: content }),
    file: await upload(client, { groupid: vault.id }, Buffer.alloc(200_000, content)),
    ciphertext: await vault.encrypt('kept', Buffer.from(content).toString('base64')),
  }
}

/** Checks that everything exists. The user's token was plugged in again. */
async function expectKept(appliance: TestAppliance, { user, vault, content, ...ids }: Kept): Promise<void> {
  user.hardwareToken.replug()
  const client = await appliance.login(user)
  expect((await readObject(client, ids.secret, '?decrypt=true')).crypted).toMatchObject({ password: content })
  expect((await client.must('GET', `/object/${ids.file}?filedata=true`))['FILEDATA']).toBe(
    Buffer.alloc(200_000, content).toString('base64'),
  )
  const plaintext = Buffer.from(content).toString('base64')
  const { ciphertext } = ids
  expect((await client.must('POST', `/transparent/${vault}/decrypt/kept`, { ciphertext })).CALLINFO).toMatchObject({
    plaintext,
  })
  // The counts were put back: existing versions do not encrypt any more, and the next encryption makes a new one.
  const encrypt = `/transparent/${vault}/encrypt/kept`
  expect(verdict(await client.post(encrypt, { plaintext, key_version: 1 }))).toBe('409 1504')
  expect((await client.must('POST', encrypt, { plaintext })).CALLINFO['ciphertext']).toMatch(/^service:v2:/)
}

async function startRestored(configFile: string): Promise<void> {
  const journal: string[] = []
  const daemon: ChildProcess = await startDaemon(configFile, journal)
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        daemon.once('exit', () => resolve())
        daemon.kill('SIGTERM')
      }),
  )
}

/** Backs up an appliance under load and restores it elsewhere. */
async function restoreAmidCalls(
  appliance: TestAppliance,
  pair: AgePair,
  more: (folder: string) => readonly string[],
): Promise<void> {
  const [folder, rounds] = [givenFolder(), [] as Kept[]]
  const file = join(folder, 'b.age')
  const holder = await appliance.addUser()
  const used = appliance.credentials(holder)
  const session = appliance.client()
  session.token = (await session.must('POST', '/auth', used)).CALLINFO.token
  const recorded = appliance.credentials(holder)
  const totp = { ...used, logintype: 'totp', otp: totpCode(holder.totpSecret) }

  const promised = await under(
    3,
    async (writer, round) => void rounds.push(await writeRound(appliance, `of ${writer}.${round}`)),
    async () => {
      await eventually(() => rounds.length >= 4)
      const before = [...rounds]
      const made = await strongroom(appliance.configFile, ['backup', 'create', file, '--recipient', pair.recipient])
      expect(made).toMatchObject({ status: 0, stderr: '' })
      await eventually(() => rounds.length >= before.length + 2)
      return before
    },
  )
  await appliance.stop('SIGKILL')

  const verified = await strongroom('/nonexistent', ['backup', 'verify', file, '--identity', pair.identity])
  expect(verified.stdout).toMatch(/The backup is whole/)
  const into = join(folder, 'r')
  const kept = ['--pin-file', appliance.token.pinFile, '--tls-key', appliance.config.tls.key, ...more(folder)]
  const keys = ['--identity', pair.identity, '--public-key', join(appliance.config.audit.directory, 'audit-public.pem')]
  const args = ['backup', 'restore', file, ...keys, '--into', into, ...kept]
  const restored = await strongroom('/nonexistent', args)
  expect(restored.stderr).toBe('')
  expect(restored.stdout).toMatch(/[1-9]\d* sessions? ended; [1-9]\d* versions? of keys closed/)
  expect(restored.stdout).toMatch(/[1-9]\d* devices of one-time passwords raised/)
  expect(restored.stdout).not.toMatch(/has no key in the token|belong to no vault|is not what|bear no good seal/)
  const configFile = join(into, appliance.configFile)
  expect(existsSync(join(into, 'var/lib/strongroom-restore'))).toBe(false)

  await startRestored(configFile)
  expect(verdict(await session.get('/vault'))).toBe('403 1200')
  for (const otp of [used, recorded, totp])
    expect(verdict(await appliance.client().post('/auth', otp))).toBe('403 1201')
  for (const one of promised) await expectKept(appliance, one)
  const trail = await strongroom(configFile, ['audit', 'verify'])
  expect(trail.status, trail.stdout).toBe(0)
}

describe('a backup that is made amid calls', () => {
  it('restores what was answered before it began: SQLite', { timeout: 240_000 }, async () => {
    const appliance = await TestAppliance.own(twoWorkers)
    onTestFinished(() => appliance.close())
    const pair = givenAgePair(givenFolder())
    await restoreAmidCalls(appliance, pair, () => [])
  })

  describe.runIf(hasPostgres)('of PostgreSQL', () => {
    let postgres: TestPostgres
    beforeAll(() => void (postgres = startPostgres()))
    afterAll(() => postgres.cleanup())

    function givenDatabase(folder: string, name: string): { readonly url: string; readonly file: string } {
      execFileSync('psql', [postgres.url, '-qc', `CREATE DATABASE ${name}`])
      const [url, file] = [postgres.url.replace('/strongroom?', `/${name}?`), join(folder, name)]
      writeFileSync(file, url, { mode: 0o600 })
      return { url, file }
    }

    it('restores what was answered before it began', { timeout: 240_000 }, async () => {
      const appliance = await TestAppliance.own({ ...twoWorkers, store: { postgresUrlFile: postgres.urlFile } })
      onTestFinished(() => appliance.close())
      const pair = givenAgePair(givenFolder())
      await restoreAmidCalls(appliance, pair, (folder) => {
        return ['--postgres-url-file', givenDatabase(folder, 'restored').file]
      })
    })

    it(
      'takes no place of what is in a database, also after another restore broke off',
      { timeout: 120_000 },
      async () => {
        const [folder, pair] = [givenFolder(), givenAgePair(givenFolder())]
        const appliance = await TestAppliance.own({ store: { postgresUrlFile: givenDatabase(folder, 'other').file } })
        onTestFinished(() => appliance.close())
        const [file, into] = [join(folder, 'b.age'), join(folder, 'r')]
        await strongroom(appliance.configFile, ['backup', 'create', file, '--recipient', pair.recipient])
        const { url, file: urlFile } = givenDatabase(folder, 'taken')
        const psql = (statement: string) => execFileSync('psql', [url, '-qAtc', statement], { encoding: 'utf8' })
        psql("CREATE TABLE users (name text); INSERT INTO users VALUES ('of another program')")
        // Leftovers of a restore that was killed while it filled another database.
        const leftOver = join(into, 'var/lib/strongroom-restore')
        mkdirSync(leftOver, { recursive: true })
        const placing = { configuration: join(into, 'none'), paths: [], postgres: 'of another URL' }
        writeFileSync(join(leftOver, 'placing.json'), JSON.stringify(placing))
        const keys = [
          '--identity',
          pair.identity,
          '--public-key',
          join(appliance.config.audit.directory, 'audit-public.pem'),
        ]
        const kept = ['--pin-file', appliance.token.pinFile, '--postgres-url-file', urlFile]
        const restored = await strongroom('/nonexistent', ['backup', 'restore', file, ...keys, '--into', into, ...kept])
        expect(restored).toMatchObject({
          status: 1,
          stderr: expect.stringMatching(/is not empty, it has users/) as unknown,
        })
        expect(psql('SELECT name FROM users')).toBe('of another program\n')
      },
    )
  })
})
