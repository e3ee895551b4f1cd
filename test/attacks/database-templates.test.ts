import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { TestAppliance } from '../support/appliance.ts'
import { applianceForTests, vaultForTests } from '../support/for-tests.ts'
import { strongroom } from '../support/console-kit.ts'
import { editDatabase, readDatabase, rowsOf } from '../support/database-owner.ts'
import { createObject } from '../support/object-kit.ts'

/**
 * The attacker writes to the database: he gives an object another template, in which the field of a secret is open, and
 * waits for the next change of the secret.
 */
const appliance = applianceForTests(() => TestAppliance.own())
const vault = vaultForTests(appliance)

type Fields = Readonly<Record<string, { readonly encrypted: boolean; readonly opt?: boolean }>>
const [open, secret] = [{ encrypted: false }, { encrypted: true }]
const further = { ...open, opt: true }

/** The operator adds a template with these fields; resolves to what the command says. */
async function add(id: number, fields: Fields, ...how: string[]): Promise<string> {
  const path = join(appliance.directory, `${id}.json`)
  const structure = Object.entries(fields).map(([name, field]) => [
    name,
    { translation: 'Field', type: 'text', show: true, ...field },
  ])
  const info = { id: String(id), name: `Template ${id}`, ico: 'ico_server', active: true, wb: true }
  writeFileSync(path, JSON.stringify({ INFO: info, STRUCTURE: Object.fromEntries(structure) }))
  const { stdout, stderr } = await strongroom(appliance.configFile, ['template', 'add', ...how, path])
  return stdout + stderr
}

/** What the database holds of an object, after its template was exchanged and its secret changed. */
async function storedAfter(from: number, to: number, field: string): Promise<string> {
  const value = 'correct horse battery staple'
  const id = await createObject(vault.admin, vault.id, { templateid: String(from), [field]: 'before' })
  editDatabase(appliance, `UPDATE vault_objects SET template_id = ${to} WHERE id = ${id}`)
  await vault.admin.call('PUT', `/object/${id}`, { body: { [field]: value } })
  const row = JSON.stringify(readDatabase(appliance, (connection) => rowsOf(connection, 'vault_objects', `id = ${id}`)))
  return row.includes(value) ? 'in the open' : 'not in the open'
}

it.each<[string, () => Promise<string>, from: number, to: number, field: string]>([
  [
    'the template of the site',
    async () => (await add(1001, { passphrase: secret }), add(1002, { passphrase: open })),
    ...([1001, 1002, 'passphrase'] as const),
  ],
  [
    'the template whose further field it is',
    async () => {
      await add(1003, { newpassphrase: secret })
      await add(1004, { other: open })
      return add(1004, { other: open, newpassphrase: further }, '--replace')
    },
    ...([1003, 1004, 'newpassphrase'] as const),
  ],
  ['the template of the product', () => add(1005, { password: open }), 1, 1005, 'password'],
  [
    'the template that comes later',
    async () => (await add(1006, { plaintext: open }), add(1007, { plaintext: secret })),
    ...([1007, 1006, 'plaintext'] as const),
  ],
])('a field is not open beside %s that has it secret', async (_, prepare, from, to, field) => {
  const said = await prepare()
  // There is no object of a template that was refused.
  expect(await storedAfter(from, to, field).catch(() => 'no object')).not.toBe('in the open')
  expect(said).toMatch(new RegExp(`The field ${field} is .* in the template`))
})

it('doctor names such templates of earlier releases', async () => {
  const document = {
    INFO: { id: '1999', name: 'Old', ico: 'ico_server' },
    STRUCTURE: { password: { translation: 'P', type: 'text', show: true, encrypted: false } },
  }
  editDatabase(
    appliance,
    `INSERT INTO templates (id, document, seal, created_at) VALUES (1999, '${JSON.stringify(document)}', '', 0)`,
  )
  const { stdout } = await strongroom(appliance.configFile, ['--json', 'doctor'])
  editDatabase(appliance, 'DELETE FROM templates WHERE id = 1999')
  const found = (JSON.parse(stdout) as { findings: { subject: string }[] }).findings.find(
    ({ subject }) => subject === 'templates',
  )
  expect(found).toMatchObject({ state: 'warning', detail: expect.stringContaining('1999, Old') })
})
