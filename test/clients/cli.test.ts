import { execFileSync } from 'node:child_process'
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { TestAppliance, type TestUser } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import { mayMount } from '../support/disk.ts'
import { totpCode } from '../support/hardware-token.ts'
import { createObject, server, upload } from '../support/object-kit.ts'
import { makeVault, type TestVault } from '../support/vault.ts'
import type { Ran } from '../support/machine-process.ts'
import { Machine, machineOf } from './cli-kit.ts'

const appliance = applianceForTests()
let user: TestUser
let machine: Machine
let vault: TestVault
beforeAll(async () => {
  user = await appliance.addUser()
  vault = await makeVault(appliance, 'Servers', await appliance.login(user))
  const folder = await createObject(vault.admin, vault.id, { templateid: '2', name: 'Prod', objectname: 'Prod' })
  await createObject(vault.admin, vault.id, { objectname: 'db1' })
  await createObject(vault.admin, vault.id, { objectname: 'db2', parentid: folder, password: 'Deeper-Pass.1' })
  for (const password of ['One-Pass.111', 'Two-Pass.222'])
    await createObject(vault.admin, vault.id, { objectname: 'twin', password })
  await createObject(vault.admin, vault.id, { objectname: 'a/b 100%', password: 'Slash-Pass.1' })
  machine = await machineOf(appliance, user)
})
afterAll(() => machine.remove())

describe('a session of strongroom-cli', () => {
  it('begins with a code of an authenticator app, and ends by logout at the appliance', async () => {
    const own = new Machine(appliance)
    const someone = await appliance.addUser()
    const { status, stdout } = await own.logIn(someone, totpCode(someone.totpSecret), '--factor', 'totp')
    expect([status, stdout]).toEqual([0, expect.stringContaining(`as ${someone.username}`)])
    const token = own.session
    expect((await appliance.client(token).call('GET', '/vault')).status).toBe(200)
    expect(await own.must(['logout'])).toContain('Logged out')
    expect((await appliance.client(token).call('GET', '/vault')).status).toBe(403)
    expect((await own.run(['vaults'])).status).toBe(7)
    // The application key stays for the next login, which asks for two things alone.
    const again = await own.run(['login'], { input: `${someone.passphrase}\n${someone.hardwareToken.press()}\n` })
    expect(again.status).toBe(0)
    await own.must(['logout', '--forget'])
    expect(readFileSync(join(own.home, '.config/strongroom-cli/secrets.json'), 'utf8')).not.toContain(
      appliance.applicationKey,
    )
    own.remove()
  })

  it('is kept where its owner alone can read it, and refused where others can', async () => {
    const own = await machineOf(appliance, user)
    const folder = join(own.home, '.config/strongroom-cli')
    const modes = ['', 'secrets.json', 'config.json'].map((name) => statSync(join(folder, name)).mode & 0o777)
    expect(modes).toEqual([0o700, 0o600, 0o600])
    chmodSync(join(folder, 'secrets.json'), 0o640)
    const { status, stderr } = await own.run(['vaults'])
    expect([status, stderr]).toEqual([1, expect.stringMatching(/Others may read .*chmod 600/)])
    own.remove()
  })

  it.each(['', '{"https://vault.example.com":{"session":"0123456789"', 'null'])(
    'names its file where that was damaged (%j), and shows nothing of it',
    async (content) => {
      const own = await machineOf(appliance, user)
      const file = own.write('.config/strongroom-cli/secrets.json', content)
      expect(await own.run(['vaults'])).toEqual({
        status: 1,
        stdout: '',
        stderr: `strongroom-cli: ${file} is damaged: remove it, and log in again.\n`,
      })
      own.remove()
    },
  )

  it('that is over says so by exit code 7, and is forgotten', async () => {
    const own = await machineOf(appliance, user)
    await appliance.client(own.session).must('GET', '/auth/logout')
    const { status, stderr } = await own.run(['vaults'])
    expect([status, stderr]).toEqual([7, 'strongroom-cli: Your session has ended: run strongroom-cli login.\n'])
    expect(own.session).toBeUndefined()
    expect(await own.must(['logout'])).toContain('no session')
    own.remove()
  })

  it('that is over has none to log out of', async () => {
    const own = await machineOf(appliance, user)
    await appliance.client(own.session).must('GET', '/auth/logout')
    expect(await own.must(['logout'])).toContain('There is no session')
    expect(own.session).toBeUndefined()
    own.remove()
  })

  it('is forgotten without its appliance, which is not said to have ended it', async () => {
    const own = await machineOf(appliance, user)
    for (const name of ['config.json', 'secrets.json']) {
      const file = join(own.home, '.config/strongroom-cli', name)
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll(own.url, 'https://127.0.0.1:1'))
    }
    expect(await own.must(['logout', '--forget'])).toMatch(/ECONNREFUSED.* is forgotten here, and ends there by itself/)
    own.remove()
  })

  it('says where it cannot be kept', async () => {
    const own = new Machine(appliance)
    const words = [appliance.applicationKey, user.passphrase, user.hardwareToken.press()].join('\n')
    const { status, stderr } = await own.run(
      ['--url', own.url, 'login', '--username', user.username, '--ca', join(own.home, 'ca.pem')],
      { input: `${words}\n`, env: { XDG_CONFIG_HOME: '/sys' } },
    )
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^strongroom-cli: \/sys\/.* cannot be written: /)])
    own.remove()
  })

  it('is not ended for a run that has it by the loss of its file', async () => {
    const own = await machineOf(appliance, user)
    const fifo = join(own.home, 'late')
    execFileSync('mkfifo', [fifo])
    const run = own.run(['template', fifo])
    const pipe = await open(fifo, 'w')
    own.write('.config/strongroom-cli/secrets.json', 'damaged')
    await pipe.writeFile('{{ strongroom "Servers/db1/password" }}')
    await pipe.close()
    expect(await run).toEqual({ status: 0, stdout: server.password, stderr: '' })
    own.remove()
  })

  /** A run that waits for its input, with a session that ends meanwhile, while another process logs in. */
  async function waitingWhile(own: Machine, again: TestUser): Promise<{ outcome: Ran; newer: string | undefined }> {
    const fifo = join(own.home, 'late')
    execFileSync('mkfifo', [fifo])
    const run = own.run(['template', fifo])
    // Opened once the program reads of it, and has its session.
    const pipe = await open(fifo, 'w')
    await appliance.client(own.session).must('GET', '/auth/logout')
    const input = `${again.passphrase}\n${again.hardwareToken.press()}\n`
    expect((await own.run(['login', '--username', again.username], { input })).status).toBe(0)
    const newer = own.session
    await pipe.writeFile('{{ strongroom "Servers/db1/password" }}')
    await pipe.close()
    return { outcome: await run, newer }
  }

  it('goes on with the token that another process has stored meanwhile', async () => {
    const own = await machineOf(appliance, user)
    const { outcome, newer } = await waitingWhile(own, user)
    expect(outcome).toEqual({ status: 0, stdout: server.password, stderr: '' })
    expect(own.session).toBe(newer)
    own.remove()
  })

  it.skipIf(!mayMount)('is not stored before its user is, whose name tells other runs to leave it alone', async () => {
    const own = await machineOf(appliance, user)
    const [before, other] = [own.session, await appliance.addUser()]
    const settings = join(own.home, '.config/strongroom-cli/config.json')
    // No file can be put in the place of a mounted one.
    execFileSync('mount', ['--bind', settings, settings])
    onTestFinished(() => void execFileSync('umount', [settings]))
    const input = `${other.passphrase}\n${other.hardwareToken.press()}\n`
    expect((await own.run(['login', '--username', other.username], { input })).status).toBe(1)
    expect(own.session).toBe(before)
  })

  it('that is over leaves the newer one of another user, and does not use it', async () => {
    const own = await machineOf(appliance, user)
    const { outcome, newer } = await waitingWhile(own, await appliance.addUser())
    expect(outcome.status).toBe(7)
    expect(own.session).toBe(newer)
    expect((await own.run(['vaults'])).status).toBe(0)
    own.remove()
  })

  it('follows the rotation of its token, also where the old one ends soon', async () => {
    const strict = await TestAppliance.own({ session: { rotation: 'strict', rotateAfterUses: 1 } })
    const own = await machineOf(strict, await strict.addUser())
    const tokens = new Set([own.session])
    for (let run = 0; run < 4; run++) {
      expect(await own.must(['vaults'])).toBe('')
      tokens.add(own.session)
    }
    expect(tokens.size).toBeGreaterThan(2)
    const before = own.session
    expect((await own.run(['generate', '--length', '99999'])).status).toBe(1)
    expect(own.session).not.toBe(before)
    if (mayMount) {
      // No file can be put in the place of a mounted one.
      const file = join(own.home, '.config/strongroom-cli/secrets.json')
      execFileSync('mount', ['--bind', file, file])
      const { status, stderr } = await own.run(['generate']).finally(() => execFileSync('umount', [file]))
      expect([status, stderr]).toEqual([0, expect.stringMatching(/^The session cannot be kept: log in again\. .+\n$/)])
    }
    own.remove()
    await strict.close()
  })

  it('does not begin with a wrong pass phrase, and no secret of it is shown', async () => {
    const own = new Machine(appliance)
    const otp = user.hardwareToken.press()
    const { status, stdout, stderr } = await own.logIn({ ...user, passphrase: 'wrong wrong wrong' }, otp)
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^strongroom-cli: .+\n$/)
    for (const secret of ['wrong wrong', otp, appliance.applicationKey]) expect(stderr).not.toContain(secret)
    expect((await own.run(['--url', own.url, 'vaults'])).status).toBe(7)
    own.remove()
  })

  it('says which answer is missing on standard input, and that an address begins with https', async () => {
    const own = new Machine(appliance)
    const args = ['--url', own.url, 'login', '--username', 'alice']
    expect(await own.run(args, { input: `${appliance.applicationKey}\na pass phrase\n` })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('One-time password is missing'),
    })
    expect(await own.run(['--url', 'http://vault.example.com', 'login'])).toMatchObject({ status: 2 })
    expect(await own.run(['login'])).toMatchObject({ status: 2, stderr: expect.stringContaining('--url') })
    own.remove()
  })

  it('reaches no appliance behind a certificate that it does not trust, or where none is: 8', async () => {
    const own = new Machine(appliance)
    const input = 'key\npass phrase\n123456\n'
    const { status, stderr } = await own.run(['--url', own.url, 'login', '--username', 'alice'], { input })
    expect([status, stderr]).toEqual([
      8,
      expect.stringContaining('Give the CA of its certificate: strongroom-cli login --ca FILE.'),
    ])
    const key = own.write('key.pem', '-----BEGIN PRIVATE KEY-----')
    const wrong = await own.run(['--url', own.url, 'login', '--username', 'alice', '--ca', key], { input })
    expect([wrong.status, wrong.stderr]).toEqual([1, `strongroom-cli: ${key} holds no certificate in PEM.\n`])
    const nowhere = await own.run(['--url', 'https://127.0.0.1:1', 'login', '--username', 'alice'], { input })
    expect([nowhere.status, nowhere.stderr.match(/ECONNREFUSED/g)]).toEqual([8, ['ECONNREFUSED']])
    own.remove()
  })
})

describe('reading by strongroom-cli', () => {
  it('lists vaults, what lies in one, and what find finds, with references that get takes', async () => {
    const vaults = await machine.ask(['vaults'])
    expect(vaults).toEqual([{ id: vault.id, name: 'Servers', permission: 'Admin', description: 'Servers' }])
    expect(await machine.must(['vaults'])).toBe(`id:${vault.id}  Servers  Admin  Servers\n`)
    const objects = await machine.ask(['vaults', 'Servers'])
    const references = objects.map(({ reference }: { reference: string }) => reference)
    expect(references).toEqual(expect.arrayContaining(['Servers/db1', 'Servers/Prod/db2', 'Servers/a%2Fb 100%25']))
    expect(references.filter((one: string) => /^Servers\/id:\d+$/.test(one))).toHaveLength(2)
    const found = await machine.ask(['find', 'DB2'])
    expect(found).toMatchObject([{ reference: 'Servers/Prod/db2', template: 'Server' }])
    const values: string[] = await Promise.all(
      references
        .filter((one: string) => one !== 'Servers/Prod')
        .map((one: string) => machine.must(['get', `${one}/password`])),
    )
    expect(values.toSorted()).toEqual(
      [server.password, 'Deeper-Pass.1', 'One-Pass.111', 'Two-Pass.222', 'Slash-Pass.1']
        .map((one) => `${one}\n`)
        .toSorted(),
    )
  })

  it('prints a field alone, open ones too, by names and by ids', async () => {
    expect(await machine.must(['get', 'Servers/db1/password', '--no-newline'])).toBe(server.password)
    expect(await machine.must(['get', 'Servers/db1/host'])).toBe(`${server.host}\n`)
    const [{ id }] = await machine.ask(['find', 'db2'])
    expect(await machine.ask(['get', `id:${vault.id}/id:${id}/password`])).toMatchObject({ value: 'Deeper-Pass.1' })
  })

  it.each([
    ['an unknown vault', 'Nowhere/db1/password', /No vault named Nowhere is shared with you/],
    ['an unknown object', 'Servers/db9/password', /no object named db9 in vault Servers/],
    ['an object that lies deeper', 'Servers/db2/password', /no object named db2/],
    [
      'an unknown field, with those that are there',
      'Servers/db1/pin',
      /no field pin. It has: host, username, password/,
    ],
    ['a name that two objects have, with their ids', 'Servers/twin/password', /2 objects .* write id:\d+ or id:\d+/],
    ['an id of nothing', 'Servers/id:999999/password', /no object with the id 999999/],
  ])('refuses %s', async (_what, reference, sentence) => {
    expect(await machine.run(['get', reference])).toEqual({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(sentence),
    })
  })

  it.each(['', 'Servers', 'Servers/db1', 'Servers//password', '/db1/password', 'Servers/db1/'])(
    'does not take %j for a field',
    async (reference) => {
      expect(await machine.run(['get', reference])).toMatchObject({ status: 2, stdout: '' })
    },
  )

  it('takes neither of two vaults of one name: any user can share one', async () => {
    const stranger = await makeVault(appliance, 'Servers')
    await createObject(stranger.admin, stranger.id, { objectname: 'db1', password: 'Planted-Pass.1' })
    await stranger.share(String(user.id), 'Read')
    const { status, stderr } = await machine.run(['get', 'Servers/db1/password'])
    expect([status, stderr]).toEqual([1, expect.stringMatching(/2 vaults are named Servers: write id:\d+ or id:\d+/)])
    expect(await machine.must(['get', `id:${vault.id}/db1/password`])).toBe(`${server.password}\n`)
    expect(await machine.ask(['find', 'db2'])).toMatchObject([{ reference: `id:${vault.id}/Prod/db2` }])
    await stranger.share(String(user.id), undefined)
  })

  it('shows on a terminal no sequence that steers it, and columns of any script', async () => {
    const { id } = await makeVault(appliance, 'Plain', vault.admin)
    await vault.admin.must('PUT', `/vault/${id}`, { description: 'red \u009B31m' })
    expect(await machine.must(['vaults'])).not.toMatch(/[^\n\P{Cc}]/u)
    await vault.admin.must('PUT', `/vault/${id}`, { vaultname: '漢字 e\u0301', description: '' })
    const rows = (await machine.must(['vaults']))
      .replaceAll('\u0301', '')
      .replaceAll(/[漢字]/g, 'xx')
      .trimEnd()
    const columns = rows.split('\n').map((row) => row.indexOf('  Admin'))
    expect(new Set(columns).size).toBe(1)
    await vault.admin.must('DELETE', `/vault/${id}`)
  })

  it('shows on a terminal, and only there, what of a text of others steers it', async () => {
    const { id } = await makeVault(appliance, 'Steering', vault.admin)
    await createObject(vault.admin, id, { objectname: 'file\u202Etxt.exe', cryptedinfo: '\tone\n\u2066two' })
    const text = '\u001B]0;title\u0007 \u009B31m\tä\n'
    await upload(vault.admin, { groupid: id, objectname: 'text' }, Buffer.from(text), 'text')
    const shownBy = async (...args: string[]) => (await machine.atTerminal(args, [])).stdout
    const reference = 'Steering/file\u202Etxt.exe'
    const rows = (await shownBy('vaults', 'Steering')).trimEnd().split('\n')
    expect(rows.join()).toContain('Steering/file\\u202etxt.exe ')
    expect(new Set(rows.map((row) => row.search(/ (Login|Server|File) /))).size).toBe(1)
    expect(await machine.must(['vaults', 'Steering'])).toContain(`${reference} `)
    expect(await shownBy('get', `${reference}/cryptedinfo`)).toBe('\tone\r\n\\u2066two\r\n')
    expect(await machine.must(['get', `${reference}/cryptedinfo`])).toBe('\tone\n\u2066two\n')
    expect(await shownBy('get', `${reference}/none`)).toMatch(/^strongroom-cli: file\\u202etxt.exe has no field none/)
    expect(await shownBy('download', 'Steering/text', '-')).toContain('\\u001b]0;title\\u0007 \\u009b31m\tä\r\n')
    expect(await machine.must(['download', 'Steering/text', '-'])).toBe(text)
  })

  it('goes through bash: a secret that a script takes is exact', async () => {
    const file = machine.write(
      'script',
      '#!/bin/bash\nsecret=$(strongroom-cli get Servers/db1/password) && printf %s "$secret" >secret',
    )
    chmodSync(file, 0o755)
    const PATH = `${join(machine.program, '..')}:${machine.environment['PATH']}`
    execFileSync(file, { cwd: machine.home, env: { ...machine.environment, PATH } })
    expect(readFileSync(join(machine.home, 'secret'), 'utf8')).toBe(server.password)
  })
})
