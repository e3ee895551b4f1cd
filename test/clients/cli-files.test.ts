import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applianceForTests } from '../support/for-tests.ts'
import { createObject, upload } from '../support/object-kit.ts'
import { makeVault, type TestVault } from '../support/vault.ts'
import { machineOf, type Machine } from './cli-kit.ts'

const appliance = applianceForTests()
let machine: Machine
let vault: TestVault
beforeAll(async () => {
  const user = await appliance.addUser()
  vault = await makeVault(appliance, 'Files', await appliance.login(user))
  await createObject(vault.admin, vault.id, { templateid: '2', name: 'Keys', objectname: 'Keys' })
  await createObject(vault.admin, vault.id, { objectname: 'login' })
  await vault.admin.must('POST', `/transparent/${vault.id}/keys/daily`, {})
  machine = await machineOf(appliance, user)
})
afterAll(() => machine.remove())

const bytes = randomBytes(300_000)

describe('strongroom-cli upload and download', () => {
  it('keep a file, also one that is put into its place later', async () => {
    const file = machine.write('server.bin', bytes)
    expect(await machine.must(['upload', file, 'Files/Keys'])).toMatch(
      /^Made Files\/Keys\/server.bin \(id:\d+\), 300000 bytes.\n$/,
    )
    const target = join(machine.home, 'back.bin')
    await machine.must(['download', 'Files/Keys/server.bin', target])
    expect(readFileSync(target).equals(bytes)).toBe(true)
    expect(statSync(target).mode & 0o777).toBe(0o600)
    const again = ['upload', '-', 'Files/Keys', '--name', 'server.bin']
    expect(await machine.run(again, { input: 'new' })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('--replace'),
    })
    expect(await machine.must([...again, '--replace'], { input: 'new' })).toContain('Replaced')
    expect(await machine.must(['download', 'Files/Keys/server.bin', '-'])).toBe('new')
  })

  it('replace no file that is there', async () => {
    await machine.must(['upload', '-', 'Files', '--name', 'there.txt'], { input: 'from the vault' })
    const file = machine.write('there.txt', 'mine')
    const { status, stderr } = await machine.run(['download', 'Files/there.txt'])
    expect([status, stderr]).toEqual([1, expect.stringContaining('there.txt is there already')])
    expect(readFileSync(file, 'utf8')).toBe('mine')
    await machine.must(['download', 'Files/there.txt', '--force'])
    expect(readFileSync(file, 'utf8')).toBe('from the vault')
  })

  it('write nowhere else, whatever name another member gave the file', async () => {
    for (const [at, name] of ['.bashrc', '-rf', '...', 'gpj\u202E.exe'].entries()) {
      await upload(vault.admin, { groupid: vault.id, objectname: `planted ${at}` }, Buffer.from('x'), name)
      const { status } = await machine.run(['download', `Files/planted ${at}`])
      expect([name, status]).toEqual([name, 1])
      expect(existsSync(join(machine.home, name))).toBe(false)
    }
  })

  it('refuse what holds no file, what is none, and a place that is not there', async () => {
    expect((await machine.run(['download', 'Files/login'])).stderr).toContain('holds no file')
    expect((await machine.run(['upload', join(machine.home, 'missing'), 'Files'])).stderr).toContain('cannot be read')
    expect((await machine.run(['upload', '-', 'Files/Nowhere', '--name', 'x'])).status).toBe(1)
    expect((await machine.run(['upload', '-', 'Files'])).status).toBe(2)
    expect((await machine.run(['upload', '-', 'Files', '--name', 'login', '--replace'])).stderr).toContain('not a file')
  })
})

describe('strongroom-cli encrypt and decrypt', () => {
  it('make one ciphertext of standard input, bound to its additional data', async () => {
    const args = ['Files/cards', '--aad', 'customer 17']
    const ciphertext = await machine.must(['encrypt', ...args], { input: '4111 1111 1111 1111' })
    expect(ciphertext).toMatch(/^service:v1:\S+\n$/)
    expect(await machine.must(['decrypt', ...args], { input: ciphertext })).toBe('4111 1111 1111 1111')
    const other = await machine.run(['decrypt', 'Files/cards', '--aad', 'customer 18'], { input: ciphertext })
    expect(other).toMatchObject({ status: 1, stdout: '' })
    // What other clients encrypt is the same.
    const made = await vault.encrypt('cards', Buffer.from('by wire').toString('base64'))
    expect(await machine.must(['decrypt', 'Files/cards'], { input: made })).toBe('by wire')
    expect((await machine.run(['decrypt', 'Files/cards'], { input: 'no ciphertext' })).status).toBe(1)
    const stream = await machine.run(['decrypt', 'Files/cards'], { input: Buffer.from('SRS1\0') })
    expect(stream).toMatchObject({ status: 2, stderr: expect.stringContaining('give - as the file') })
    expect((await machine.run(['encrypt', 'Files'], { input: 'x' })).status).toBe(2)
    expect((await machine.run(['encrypt', 'Files/cards'], { input: Buffer.alloc(1_000_001) })).status).toBe(2)
  })

  it('make files of any size, and refuse one that was changed or cut', async () => {
    const plain = machine.write('dump', Buffer.concat([bytes, Buffer.alloc(3_000_000, 7), bytes]))
    const [sealed, back] = [join(machine.home, 'dump.srs'), join(machine.home, 'dump.back')]
    await machine.must(['encrypt', 'Files/daily', plain, '--output', sealed, '--aad', 'dump'])
    expect(readFileSync(sealed).includes(bytes.subarray(0, 64))).toBe(false)
    await machine.must(['decrypt', 'Files/daily', sealed, '--output', back, '--aad', 'dump'])
    expect(readFileSync(back).equals(readFileSync(plain))).toBe(true)
    const whole = readFileSync(sealed)
    const changed = Buffer.from(whole)
    changed[2_500_000] = (changed[2_500_000] ?? 0) ^ 1
    for (const content of [
      changed,
      whole.subarray(0, -1),
      whole.subarray(0, 2 ** 20 * 2),
      whole.subarray(0, 20),
      Buffer.from('text'),
    ]) {
      writeFileSync(sealed, content)
      const bad = join(machine.home, 'bad')
      const outcome = await machine.run(['decrypt', 'Files/daily', sealed, '--output', bad, '--aad', 'dump'])
      expect(outcome).toMatchObject({ status: 1, stderr: expect.stringMatching(/^strongroom-cli: .*dump.srs: .+\n$/) })
      expect(existsSync(bad)).toBe(false)
    }
    expect(readdirSync(machine.home).filter((name) => name.endsWith('.part'))).toEqual([])
  })

  it('show on a terminal a line end that two segments share, and that the last character is cut', async () => {
    const plain = machine.write(
      'lines',
      Buffer.concat([Buffer.alloc(1_048_519, 'x'), Buffer.from('\r\nend\xc3', 'latin1')]),
    )
    await machine.must(['encrypt', 'Files/daily', plain, '--output', `${plain}.srs`])
    const { stdout } = await machine.atTerminal(['decrypt', 'Files/daily', `${plain}.srs`], [])
    expect(stdout).toContain('\nend\uFFFD')
    expect(stdout).not.toContain('\\u000d')
  })

  it.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('leave nothing half-written where %s ends them', async (signal, exitCode) => {
    const output = join(machine.home, 'never')
    const child = spawn(machine.program, ['encrypt', 'Files/daily', '-', '--output', output], {
      env: machine.environment,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    child.stdin.on('error', () => undefined)
    child.stdin.write(bytes)
    await expect.poll(() => readdirSync(machine.home)).toContainEqual(expect.stringMatching(/^never\..*part$/))
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    expect(await ended).toBe(exitCode)
    expect(readdirSync(machine.home).filter((name) => name.startsWith('never'))).toEqual([])
  })

  it('are no success where their output has no room', () => {
    const script = `"$0" encrypt Files/daily - <"$1" >whole && "$0" decrypt Files/daily whole >/dev/full`
    const place = { cwd: machine.home, env: machine.environment, encoding: 'utf8' } as const
    const { status, stderr } = spawnSync('bash', ['-c', script, machine.program, machine.write('large', bytes)], place)
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^strongroom-cli: Standard output .*ENOSPC/)])
  })

  it('say which of two files cannot be used', async () => {
    const folder = join(machine.home, 'folder')
    mkdirSync(folder)
    const read = await machine.run(['encrypt', 'Files/daily', folder, '--output', join(machine.home, 'none')])
    expect([read.status, read.stderr]).toEqual([1, expect.stringContaining(`${folder} cannot be read: EISDIR`)])
    const keyless = await machine.run(['encrypt', 'Files/keyless', machine.program])
    expect([keyless.status, keyless.stderr]).toEqual([1, expect.stringMatching(/no key .* \| strongroom-cli encrypt/)])
    const output = join(folder, 'none', 'file')
    const written = await machine.run(['encrypt', 'Files/daily', machine.program, '--output', output])
    expect([written.status, written.stderr]).toEqual([
      1,
      expect.stringContaining(`${output} cannot be written: ENOENT`),
    ])
    expect(readdirSync(machine.home).filter((name) => name.endsWith('.part'))).toEqual([])
  })

  it('pass a pipe on as it comes', async () => {
    const script = `head -c 200000000 /dev/zero | "$0" encrypt Files/daily - | "$0" decrypt Files/daily - | sha256sum`
    const env = machine.environment
    const sum = execFileSync('bash', ['-c', `set -o pipefail; ${script}`, machine.program], { env, encoding: 'utf8' })
    expect(sum).toBe(execFileSync('bash', ['-c', 'head -c 200000000 /dev/zero | sha256sum'], { encoding: 'utf8' }))
  })
})

describe('strongroom-cli sign', () => {
  it('signs what openssl verifies, also content of any size by its hash', async () => {
    const created = await vault.admin.must('POST', `/transparent/${vault.id}/keys/signing`, { type: 'ecdsa-p256' })
    expect(created.CALLINFO.status).toBe('SUCCESS')
    const { VERSIONS } = await vault.admin.must('GET', `/transparent/${vault.id}/keys/signing`)
    const [version] = VERSIONS as { public_key: string }[]
    const publicKey = machine.write('public.pem', version?.public_key ?? '')
    const content = machine.write('release', Buffer.alloc(3_000_000, 'release'))
    for (const [file, more] of [
      [content, ['--hash', 'sha2-256']],
      [machine.write('note', 'a note'), []],
    ] as const) {
      const signature = await machine.must(['sign', 'Files/signing', file, ...more])
      const raw = machine.write('signature', Buffer.from(signature.trim().split(':').at(-1) ?? '', 'base64'))
      const args = ['dgst', '-sha256', '-verify', publicKey, '-signature', raw, file]
      expect(execFileSync('openssl', args, { encoding: 'utf8' })).toBe('Verified OK\n')
    }
    expect(await machine.run(['sign', 'Files/signing', content])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--hash sha2-256'),
    })
    expect((await machine.ask(['sign', 'Files/signing'], { input: 'x' })).signature).toMatch(/^service:v1:/)
    expect((await machine.run(['sign', 'Files/nothing'], { input: 'x' })).status).toBe(1)
  })
})
