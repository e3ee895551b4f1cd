import { execFile, execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { createObject, readObject, upload } from '../../support/object-kit.ts'
import { strongroom } from '../../support/console-kit.ts'
import { twoWorkers, TestAppliance } from '../../support/appliance.ts'
import type { TestClient } from '../../support/client.ts'
import { makeVault } from '../../support/vault.ts'
import { eventually, under } from '../../support/fault-kit.ts'

const run = promisify(execFile)

/** An object that was answered for, and whoever made it. */
interface Kept {
  readonly client: TestClient
  readonly id: string
  readonly content: string
}

/** As `docs/operations.md` has it, "Backup" and "Restore". */
it('a backup that is made amid calls restores what was answered before it began', { timeout: 240_000 }, async () => {
  const appliance = await TestAppliance.own(twoWorkers)
  onTestFinished(() => appliance.close())
  const { directory, token, config } = appliance
  const [database, backup] = [String(config.store.sqlite), join(directory, 'backup')]
  const user = await appliance.addUser()
  const secrets: Kept[] = []
  const files: Kept[] = []

  const promised = await under(
    3,
    async (writer, round) => {
      // A vault of its own each time: keys come into the token while it is copied.
      const { admin: client, id: groupid } = await makeVault(appliance)
      const content = `of ${writer}.${round}`
      secrets.push({ client, content, id: await createObject(client, groupid, { password: content }) })
      const file = Buffer.alloc(300_000, content)
      files.push({ client, content: file.toString('base64'), id: await upload(client, { groupid }, file) })
    },
    async () => {
      await eventually(() => files.length >= 4)
      const before = { secrets: [...secrets], files: [...files] }
      await run('sqlite3', [database, `.backup '${backup}'`])
      cpSync(token.tokenDirectory, `${backup}-token`, { recursive: true })
      await eventually(() => files.length >= before.files.length + 2)
      return before
    },
  )

  await appliance.stop()
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${database}${suffix}`, { force: true })
  copyFileSync(backup, database)
  rmSync(token.tokenDirectory, { recursive: true })
  renameSync(`${backup}-token`, token.tokenDirectory)
  expect(execFileSync('sqlite3', [database, 'PRAGMA integrity_check'], { encoding: 'utf8' }).trim()).toBe('ok')
  expect((await strongroom(appliance.configFile, ['doctor'])).stdout).not.toMatch(/has no key in the token/)
  await appliance.restart()

  for (const { client, id, content } of promised.secrets)
    expect((await readObject(client, id, '?decrypt=true')).crypted).toMatchObject({ password: content })
  for (const { client, id, content } of promised.files)
    expect((await client.must('GET', `/object/${id}?filedata=true`))['FILEDATA']).toBe(content)
  await appliance.login(user)
  await appliance.stop()
  const verified = await strongroom(appliance.configFile, ['audit', 'verify'])
  expect(verified.status, verified.stdout).toBe(0)
})
