import { spawn } from 'node:child_process'
import { chmodSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { addUser, givenInitialised, passphrase, recorded, type Premises } from '../../support/console-kit.ts'

const details = ['--fullname', 'Alice Example', '--email', 'alice@example.test']

describe('strongroom user', () => {
  it('adds, lists and disables, and records each in the audit trail', async () => {
    const premises = await givenInitialised()
    await addUser(premises, 'alice')
    await addUser(premises, 'operator', '--admin')
    expect(await premises.ask(['user', 'list'])).toMatchObject([
      { username: 'alice', capabilities: ['read', 'createVault', 'active'] },
      { username: 'operator', capabilities: ['read', 'createVault', 'admin', 'audit', 'active'] },
    ])
    await premises.ask(['user', 'disable', 'alice'])
    expect((await premises.ask(['user', 'list']))[0].capabilities).toEqual(['read', 'createVault'])
    expect((await premises.run(['user', 'list'])).stdout).toMatch(
      /^1 +alice +User alice +\S+ \S+ +read createVault \(disabled\)$/m,
    )
    expect(recorded(premises).slice(1)).toEqual([
      ['console.user.add', 'allowed', 'user alice'],
      ['console.user.add', 'allowed', 'user operator'],
      ['console.user.disable', 'allowed', 'user alice'],
    ])
  })

  it('edits and enables, with the rules that the interface has', async () => {
    const premises = await givenInitialised()
    await addUser(premises, 'alice')
    await addUser(premises, 'operator', '--admin')
    const edited = await premises.ask([
      'user',
      'edit',
      'alice',
      '--fullname',
      'Ålice Newname',
      '--capability',
      'read',
      'audit',
    ])
    expect(edited).toMatchObject({ username: 'alice', fullname: 'Ålice Newname', capabilities: ['read', 'audit'] })
    await premises.ask(['user', 'enable', 'alice'])
    await premises.ask(['user', 'edit', 'alice', '--username', 'alice.newname'])
    expect((await premises.ask(['user', 'list']))[0]).toMatchObject({
      username: 'alice.newname',
      email: 'alice@example.test',
      capabilities: ['read', 'audit', 'active'],
    })
    expect(await premises.run(['user', 'edit', 'operator'])).toMatchObject({ status: 2 })
    const lowered = await premises.run(['user', 'edit', 'operator', '--capability', 'read', 'active'])
    expect(lowered).toMatchObject({ status: 1, stderr: expect.stringContaining('last active administrator') })
    const inEscrow = await premises.run(['user', 'edit', 'operator', '--capability', 'admin', 'escrow'])
    expect(inEscrow).toMatchObject({ status: 1, stderr: expect.stringContaining('escrow') })
    expect(recorded(premises).slice(3)).toEqual([
      ['console.user.edit', 'allowed', 'user alice: fullname, capability'],
      ['console.user.enable', 'allowed', 'user alice'],
      ['console.user.edit', 'allowed', 'user alice: username'],
      ['console.user.edit', 'user.invalid', 'user operator: capability'],
      ['console.user.edit', 'user.invalid', 'user operator: capability'],
    ])
  })

  it('gives exactly the capabilities that are named', async () => {
    const premises = await givenInitialised()
    await addUser(premises, 'auditor', '--capability', 'read', 'audit', 'active')
    expect((await premises.ask(['user', 'list']))[0].capabilities).toEqual(['read', 'audit', 'active'])
    const unknown = await premises.run(
      ['user', 'add', 'robot', ...details, '--passphrase-file', '-', '--capability', 'everything'],
      passphrase,
    )
    expect(unknown).toMatchObject({ status: 2, stderr: expect.stringContaining('createVault') })
  })

  it('takes a pass phrase from a private file, and none from elsewhere', async () => {
    const premises = await givenInitialised()
    const file = join(premises.directory, 'passphrase')
    writeFileSync(file, `${passphrase}\n`, { mode: 0o600 })
    const add = (name: string, ...more: string[]) => premises.run(['user', 'add', name, ...details, ...more])
    expect((await add('alice', '--passphrase-file', file)).status).toBe(0)
    chmodSync(file, 0o644)
    expect(await add('bobby', '--passphrase-file', file)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('chmod 0600'),
    })
    chmodSync(file, 0o600)
    writeFileSync(file, Buffer.from('neun grüne Laternen am Kai', 'latin1'))
    expect(await add('bobby', '--passphrase-file', file)).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/UTF-8/),
    })
    const nowhere = join(premises.directory, 'nowhere')
    expect(await add('bobby', '--passphrase-file', nowhere)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('nowhere does not exist: name another file'),
    })
    expect(await add('bobby')).toMatchObject({ status: 2, stderr: expect.stringContaining('--passphrase-file') })
    expect((await add('bobby', '--passphrase', passphrase)).status).toBe(2)
    const short = await premises.run(['user', 'add', 'bobby', ...details, '--passphrase-file', '-'], 'short')
    expect(short).toMatchObject({ status: 1, stderr: expect.stringContaining('12 or more characters') })
    expect(await premises.ask(['user', 'list'])).toHaveLength(1)
  })

  it('asks for the pass phrase at a terminal, shows nothing of it, and wants it twice', async () => {
    const premises = await givenInitialised()
    const differing = await typing(premises, passphrase, 'another pass phrase')
    expect(differing).toContain('differ')
    expect(await premises.ask(['user', 'list'])).toEqual([])
    const same = await typing(premises, passphrase, passphrase)
    expect(same).toContain('User carol added')
    for (const shown of [differing, same]) expect(shown).not.toContain(passphrase)
  })

  it('refuses a name that is taken, an unknown one, and the last administrator, and records that', async () => {
    const premises = await givenInitialised()
    await addUser(premises, 'operator', '--admin')
    const again = await premises.run(['user', 'add', 'OPERATOR', ...details, '--passphrase-file', '-'], passphrase)
    expect(again).toMatchObject({
      status: 1,
      stdout: '',
      stderr:
        'strongroom: The user name OPERATOR is taken: choose another. An interrupted run of this command may have added the user: see strongroom user list, and go on with strongroom user passphrase and otp enroll.\n',
    })
    expect((await premises.run(['user', 'disable', 'nobody'])).status).toBe(1)
    expect(await premises.run(['user', 'disable', 'operator'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('last active administrator'),
    })
    expect(recorded(premises).slice(2)).toEqual([
      ['console.user.add', 'user.exists', 'user OPERATOR'],
      ['console.user.disable', 'user.not_found', 'user nobody'],
      ['console.user.disable', 'user.invalid', 'user operator'],
    ])
  })

  it('changes nothing when the change cannot be recorded', async () => {
    const premises = await givenInitialised()
    premises.configure({ audit: { directory: premises.configFile } })
    const refused = await premises.run(['user', 'add', 'alice', ...details, '--passphrase-file', '-'], passphrase)
    expect(refused).toMatchObject({ status: 6, stderr: expect.stringContaining('audit') })
    premises.configure({})
    expect(await premises.ask(['user', 'list'])).toEqual([])
  })
})

describe('strongroom user passphrase', () => {
  it('gives another one, which is to be changed at the next login', async () => {
    const premises = await givenInitialised()
    await addUser(premises, 'alice')
    const another = 'seven wooden lanterns on the quay'
    const set = (name: string, text: string) =>
      premises.run(['user', 'passphrase', name, '--passphrase-file', '-'], text)
    expect(await set('alice', another)).toMatchObject({ status: 0, stderr: '' })
    expect((await premises.ask(['user', 'list']))[0].capabilities).toContain('changePassphrase')
    expect(await set('alice', 'alice and her words')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('user name'),
    })
    expect((await set('nobody', another)).status).toBe(1)
    expect(recorded(premises).slice(-3)).toEqual([
      ['console.user.passphrase', 'allowed', 'user alice'],
      ['console.user.passphrase', 'passphrase.refused', 'user alice'],
      ['console.user.passphrase', 'user.not_found', 'user nobody'],
    ])
  })
})

describe('strongroom apikey', () => {
  it('shows a key once, lists it by name, and revokes it', async () => {
    const premises = await givenInitialised()
    const { key } = await premises.ask(['apikey', 'create', 'payroll'])
    expect(key).toMatch(/^[A-Za-z0-9]{10}$/)
    const listed = (await premises.run(['apikey', 'list'])).stdout
    expect(listed).toMatch(/payroll +\S+ \S+ +2\.1\.0 +in use/)
    expect(listed).not.toContain(key)
    expect(await premises.run(['apikey', 'create', 'payroll'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('another name'),
    })
    await premises.ask(['apikey', 'revoke', 'payroll'])
    expect((await premises.run(['apikey', 'list'])).stdout).toContain('revoked')
    expect((await premises.run(['apikey', 'revoke', 'payroll'])).status).toBe(1)
  })
})

describe('secrets', () => {
  it('leave nothing in database or audit trail that could be read', async () => {
    const premises = await givenInitialised()
    await addUser(premises, 'alice')
    const { secret } = await premises.ask(['otp', 'enroll', 'alice', '--totp'])
    const { key } = await premises.ask(['apikey', 'create', 'payroll'])
    const data = join(premises.directory, 'data')
    const kept = readdirSync(data, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))
      .join('')
    expect(kept).toContain('alice')
    for (const text of [passphrase, secret, key]) expect(kept).not.toContain(text)
  })
})

/** The output of `user add carol` on a terminal when these two answers are typed. */
function typing({ configFile }: Premises, first: string, second: string): Promise<string> {
  const entry = join(import.meta.dirname, '../../../dist/bin/strongroom.js')
  const command = `'${process.execPath}' '${entry}' --config '${configFile}' user add carol --fullname 'Carol Example' --email c@example.test`
  const terminal = spawn('script', ['-qefc', command, '/dev/null'])
  const answers = new Map([
    ['Pass phrase: ', first],
    ['Pass phrase again: ', second],
  ])
  let shown = ''
  return new Promise((resolve) => {
    terminal.stdout.on('data', (chunk: Buffer) => {
      shown += chunk.toString()
      for (const [question, answer] of answers) {
        if (!shown.includes(question)) continue
        answers.delete(question)
        terminal.stdin.write(`${answer}\n`)
      }
    })
    terminal.once('close', () => resolve(shown))
  })
}
