import { operatorId } from '../../../src/access/confirmation.ts'
import { readFileSync } from 'node:fs'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { examineTemplate } from '../../../src/features/templates/template-document.ts'
import { TestAppliance } from '../../support/appliance.ts'
import { eventually, verdict } from '../../support/fault-kit.ts'
import { HardwareToken } from '../../support/hardware-token.ts'
import { formWith } from '../../support/object-kit.ts'
import { hasPostgres, startPostgres, type TestPostgres } from '../../support/postgres.ts'
import { grantIn } from '../../support/grant-kit.ts'
import { makeVault, type TestVault } from '../../support/vault.ts'

/** Twice as many calls as connections in the pool: each call holds one for its transaction. */
const calls = Array.from({ length: 16 }, (_, number) => number)

describe.runIf(hasPostgres)('more calls at once than PostgreSQL has connections for', () => {
  let database: TestPostgres
  let appliance: TestAppliance
  let vault: TestVault

  beforeAll(async () => {
    database = startPostgres()
    appliance = await TestAppliance.own({ store: { postgresUrlFile: database.urlFile } })
    vault = await makeVault(appliance)
  })
  afterAll(async () => {
    await appliance.close()
    database.cleanup()
  })

  it('restore keys', async () => {
    const { admin, id } = vault
    await admin.must('POST', `/transparent/${id}/keys/origin`, {})
    const { KEYS } = await admin.must('GET', `/transparent/backup/${id}/origin`)
    const backup = Buffer.from((KEYS as { backup: string }).backup, 'base64')
    const { keyBackups } = appliance.services
    const restored = await Promise.all(
      calls.map((number) => {
        const place = { vaultId: Number(id), name: `copy${number}`, stored: undefined }
        return keyBackups.restore(
          { grant: () => grantIn(appliance, id) },
          {
            ...place,
            backup,
            force: false,
            userId: 1,
            noteOrigin: () => undefined,
            grantIn: () => Promise.resolve(undefined),
          },
          appliance.commit,
        )
      }),
    )
    expect(restored.map(({ name }) => name)).toEqual(calls.map((number) => `copy${number}`))
  })

  it('make objects below one whose template is of the site', async () => {
    const { services, commit } = appliance
    const document: unknown = JSON.parse(
      readFileSync(new URL('../../../config/template.example.json', import.meta.url), 'utf8'),
    )
    const examined = examineTemplate(document)
    if ('problems' in examined) throw new Error(examined.problems.join('\n'))
    await services.siteTemplates.add(examined.template, commit)
    const { id: userId } = await appliance.addUser()
    const keyed = await services.objectReading.vault({
      id: Number(vault.id),
      permission: 'Admin',
      strict: false,
      scope: null,
      grantIn: () => Promise.resolve(undefined),
      grant: () => grantIn(appliance, vault.id),
    })
    const folder = await services.templates.find(2)
    const make = (template: typeof folder, parentId: number, members: Record<string, string>) =>
      services.objects.create(
        { vault: keyed, parentId, template },
        { name: 'Made', members, file: undefined },
        {
          userId: userId,
          commit,
        },
      )
    const values = Object.fromEntries(
      examined.template.fields.map((field) => [
        field.name,
        field.options?.[0] ?? (field.type === 'progress' ? '1' : 'x'),
      ]),
    )
    const parent = await make(examined.template, 0, values)
    const made = await Promise.all(calls.map((number) => make(folder, parent.id, { name: `Folder ${number}` })))
    expect(new Set(made.map(({ id }) => id)).size).toBe(calls.length)
  })

  it('give hardware tokens to users by their OTPs', async () => {
    const { services, store, commit } = appliance
    // A user has one already and may have three.
    const users = await Promise.all(calls.slice(0, 8).map(() => appliance.addUser()))
    const tokens = calls.map(() => new HardwareToken())
    for (const token of tokens) await services.enrolments.enrolHardwareToken(null, token.secrets(), operatorId, commit)
    const given = await Promise.all(
      tokens.map((token, number) =>
        store.transaction((tx) =>
          services.devices.adopt(tx, users[number % users.length]?.id ?? 0, token.press(), operatorId),
        ),
      ),
    )
    expect(given.map(({ publicId }) => publicId)).toEqual(tokens.map(({ publicId }) => publicId))
  })

  it('leave some to others, where those of one user wait for the lock of a row', async () => {
    const { admin, id } = vault
    const other = await appliance.login()
    const holder = new Client({ connectionString: database.url })
    await holder.connect()
    onTestFinished(() => holder.end())
    await holder.query('BEGIN')
    await holder.query('SELECT 1 FROM vaults WHERE id = $1 FOR UPDATE', [id])
    const form = formWith({ groupid: id }, Buffer.alloc(2_000_000, 'large'))
    const waiting = Promise.all([
      ...calls.map((number) => admin.call('PUT', `/vault/${id}`, { body: { description: `of ${number}` } })),
      ...calls.map(() => admin.call('POST', '/object', form)),
    ])
    await eventually(async () => {
      const locked = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
      return (await appliance.store.query(locked, [])).length >= 6
    })
    expect(verdict(await other.get('/vault'))).toBe('done')
    await holder.query('COMMIT')
    // On a busy machine a statement may have waited for as long as the server lets it.
    expect(new Set([...(await waiting).map(verdict), '503 1905', 'done'])).toEqual(new Set(['503 1905', 'done']))
  })
})
