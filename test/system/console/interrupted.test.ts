import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { RootVersion } from '../../../src/console/root-keys/root-versions.ts'
import { givenAgePair, givenFolder } from '../../support/backup-kit.ts'
import { entry, givenInitialised, givenPremises, type Premises } from '../../support/console-kit.ts'
import { FullDisk, mayMount } from '../../support/disk.ts'
import { eventually } from '../../support/fault-kit.ts'
import { withPin } from '../../support/pin-session.ts'
import type { TestToken } from '../../support/token.ts'

/** Whether strace(1) can trace processes here. */
const mayTrace = spawnSync('strace', ['-qq', 'true']).status === 0

/** Runs a command under strace, which kills it at the nth call of this kind on one of these files. */
function traced(
  call: string,
  files: readonly string[],
  args: readonly string[],
  options: readonly string[] = [],
  nth = 1,
) {
  const paths = files.flatMap((file) => ['-P', file])
  const injection = ['-e', `trace=${call}`, '-e', `inject=${call}:signal=KILL:when=${nth}`]
  const under = ['-qq', '-o', '/dev/null', ...options, ...paths, ...injection]
  return spawnSync('strace', [...under, process.execPath, entry, ...args], { encoding: 'utf8' })
}

function killedAt(call: string, files: readonly string[], args: readonly string[], nth = 1): void {
  const { signal, status, stdout, stderr } = traced(call, files, args, [], nth)
  expect({ signal, status, said: `${stdout}${stderr}` }).toMatchObject({ signal: 'SIGKILL' })
}

/** The file in which SoftHSM2 keeps the key of all objects of the token. */
function tokenFile({ tokenDirectory }: TestToken): string {
  const [folder = ''] = readdirSync(tokenDirectory)
  return join(tokenDirectory, folder, 'token.object')
}

describe.runIf(mayTrace)('a command that is killed can be run again', () => {
  it('a restore, before it has listed what it puts in place', async () => {
    const premises = await givenInitialised()
    const [folder, into] = [givenFolder(), join(givenFolder(), 'r')]
    const [file, pair] = [join(folder, 'b.age'), givenAgePair(folder)]
    await premises.ask(['backup', 'create', file, '--recipient', pair.recipient])
    const keys = ['--identity', pair.identity, '--public-key', join(premises.auditDirectory, 'audit-public.pem')]
    const restore = ['backup', 'restore', file, ...keys, '--pin-file', premises.token.pinFile, '--into', into]
    const list = join(into, 'var/lib/strongroom-restore/placing.json')
    killedAt('write', [list, `${list}.restored`], restore)
    expect(await premises.run(restore)).toMatchObject({ status: 0, stderr: '' })
  })

  it('a change of the PIN, while the token writes its file, which is empty then', async () => {
    const premises = await givenInitialised({ tokenHost: false })
    const file = tokenFile(premises.token)
    const change = ['--config', premises.configFile, 'token', 'change-pin']
    // The first is that of the login.
    for (const nth of [1, 2, 3, 4]) {
      killedAt('write', [file], change, nth)
      expect(statSync(file).size).toBe(0)
      expect(await premises.run(['token', 'status'])).toMatchObject({ status: 0 })
    }
    // While the copy is written. What is left of that goes with the next one; the first file was that of the next PIN.
    killedAt('fchmod', [], change, 2)
    const before = readFileSync(premises.token.pinFile, 'utf8')
    await premises.ask(['token', 'change-pin'])
    const files = readdirSync(dirname(file)).filter((name) => name.startsWith('token.object'))
    expect(files.toSorted()).toEqual(['token.object', 'token.object.copy'])
    // The copy that makes up for it opens by the new PIN alone.
    copyFileSync(`${file}.copy`, file)
    expect(() => withPin(premises.token, () => true, { pin: before })).toThrow('CKR_PIN_INCORRECT')
    expect(withPin(premises.token, () => true)).toBe(true)
  })

  it('a change of the PIN, while it copies the file: after another, nothing opens by the PIN before', async () => {
    const premises = await givenInitialised({ tokenHost: false })
    const file = tokenFile(premises.token)
    const files = () => readdirSync(dirname(file)).filter((name) => name.startsWith('token.object'))
    // The first two are those of the PIN's own file.
    killedAt('rename', [], ['--config', premises.configFile, 'token', 'change-pin'], 3)
    expect(files()).toHaveLength(3)
    const before = readFileSync(premises.token.pinFile, 'utf8')
    await premises.ask(['token', 'change-pin'])
    const left = files()
    expect(left).toContain('token.object.copy')
    for (const name of left) {
      if (name !== 'token.object') copyFileSync(join(dirname(file), name), file)
      expect(() => withPin(premises.token, () => true, { pin: before }), name).toThrow('CKR_PIN_INCORRECT')
    }
  })

  it('a change of the PIN that has no room for the copy afterwards is done all the same', async () => {
    const premises = await givenInitialised({ tokenHost: false })
    const change = ['--config', premises.configFile, 'token', 'change-pin']
    const noRoom = ['-qq', '-f', '-o', '/dev/null', '-e', 'trace=fchmod', '-e', 'inject=fchmod:error=ENOSPC:when=2+']
    const { status, stderr } = spawnSync('strace', [...noRoom, process.execPath, entry, ...change], {
      encoding: 'utf8',
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(await premises.run(['token', 'status'])).toMatchObject({ status: 0 })
  })

  it('a change of the SO PIN that another process comes across while the token writes its file', async () => {
    const premises = await givenInitialised({ tokenHost: false })
    const file = tokenFile(premises.token)
    const fresh = join(premises.directory, 'fresh')
    writeFileSync(fresh, 'another officer', { mode: 0o600 })
    const change = ['token', 'change-pin', '--so', '--so-pin-file', premises.token.soPinFile, '--new-pin-file', fresh]
    // The first write is that of the login. The file stays empty before the second one.
    const slow = ['-qq', '-o', '/dev/null', '-P', file, '-e', 'trace=write', '-e', 'inject=write:delay_enter=3s:when=2']
    const command = [process.execPath, entry, '--config', premises.configFile, ...change]
    const run = spawn('strace', [...slow, ...command], { stdio: 'ignore' })
    const ended = once(run, 'exit')
    await eventually(() => statSync(file).size === 0)
    expect(await premises.run(['token', 'status'])).toMatchObject({ status: 0 })
    expect(await ended).toEqual([0, null])
    expect(withPin(premises.token, () => true, { as: 0, pin: 'another officer' })).toBe(true)
  })

  it('no copy is made of the token of another application in the same folder', async () => {
    const premises = await givenInitialised({ tokenHost: false })
    const file = tokenFile(premises.token)
    const { softhsmConf, tokenDirectory } = premises.token
    const made = ['--init-token', '--free', '--label', 'other', '--pin', 'another pin', '--so-pin', 'another pin']
    execFileSync('softhsm2-util', made, { env: { ...process.env, SOFTHSM2_CONF: softhsmConf } })
    await premises.ask(['token', 'change-pin'])
    const copies = readdirSync(tokenDirectory, { recursive: true }).filter((name) => String(name).endsWith('.copy'))
    expect(copies).toEqual([`${relative(tokenDirectory, file)}.copy`])
  })

  it('an adoption of backup keys, after it has ended its ceremony and before the token has its PIN again', async () => {
    const [one, other] = [await givenInitialised({ tokenHost: false }), await givenInitialised({ tokenHost: false })]
    const [request, parcel] = [join(one.directory, 'request'), join(one.directory, 'package')]
    await one.ask(['root-keys', 'rotate', 'kek.backup'])
    const ceremony = ({ token }: Premises, ...args: string[]) => [
      'backup-keys',
      ...args,
      '--so-pin-file',
      token.soPinFile,
    ]
    const invited = await other.ask(ceremony(other, 'invite', '--out', request))
    const shared = await one.ask(ceremony(one, 'share', request, '--out', parcel, '--digest', invited.digest))
    const adopt = ceremony(other, 'adopt', parcel, '--digest', shared.digest)
    // The last time, the token's file is written with the PIN.
    killedAt('write', [tokenFile(other.token)], ['--config', other.configFile, ...adopt], 7)
    const [, advice = ''] = /interrupted.*"strongroom (.*)" gives/.exec((await other.run(adopt)).stderr) ?? []
    await other.ask([...advice.split(' '), '--so-pin-file', other.token.soPinFile])
    const versions: RootVersion[] = await other.ask(['root-keys', 'list'])
    const newest = versions.filter(({ role, newest: isNewest }) => role === 'kek.backup' && isNewest)
    expect(newest).toMatchObject([{ version: shared.versions.at(-1), lacks: [] }])
  })

  it('a move to another database, amid its tables or at its very end', async () => {
    const premises = await givenInitialised({ tokenHost: false })
    const [to, sqlite] = [join(premises.directory, 'to.json'), join(premises.directory, 'data/new.db')]
    writeFileSync(to, JSON.stringify({ ...JSON.parse(readFileSync(premises.configFile, 'utf8')), store: { sqlite } }))
    const move = ['migrate', 'store', '--to', to]
    // Of the tables that are made one after another, most are there.
    killedAt('pwrite64', [`${sqlite}-wal`], ['--config', premises.configFile, ...move], 200)
    killedAt('unlink', [`${sqlite}-wal`], ['--config', premises.configFile, ...move])
    const refused = await premises.run(move)
    expect(refused).toMatchObject({ status: 4, stderr: expect.stringContaining('interrupted run of this command') })
    rmSync(sqlite)
    expect(await premises.run(move)).toMatchObject({ status: 0 })
  })

  it('keeper and token hosts that are killed while they log in leave a token that opens', async () => {
    const premises = await givenInitialised({ tokenHost: false })
    const asked = ['--config', premises.configFile, 'token', 'status']
    // The last of them may be ended between its restoration of the file and its login.
    expect(traced('write', [tokenFile(premises.token)], asked, ['-f']).status).toBe(3)
    expect(await premises.run(['token', 'status'])).toMatchObject({ status: 0 })
  })

  it('what it leaves in the folder of temporary files goes with the next one', async () => {
    const premises = await givenPremises({ tokenHost: false })
    vi.stubEnv('TMPDIR', givenFolder())
    onTestFinished(() => void vi.unstubAllEnvs())
    const left = () => readdirSync(tmpdir()).filter((name) => name.startsWith('strongroom-'))
    // The first connection looks for token hosts that run, the second is to the keeper of its own.
    killedAt('connect', [], ['--config', premises.configFile, 'token', 'status'], 2)
    expect(left()).toHaveLength(1)
    expect(await premises.run(['token', 'status'])).toMatchObject({ stderr: '' })
    expect(left()).toEqual([])
  })
})

describe.skipIf(!mayMount)('a full disk (needs the right to mount)', () => {
  it('of temporary files is named by the command that needs it', async () => {
    const premises = await givenInitialised({ tokenHost: false })
    const disk = new FullDisk(64)
    onTestFinished(() => disk.remove())
    vi.stubEnv('TMPDIR', disk.path)
    onTestFinished(() => void vi.unstubAllEnvs())
    disk.fill(0)
    expect(await premises.run(['token', 'status'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`A disk is full: make room below ${disk.path}`),
    })
    disk.free()
    expect(await premises.run(['token', 'status'])).toMatchObject({ status: 0 })
  })
  it('of the audit trail is named by a backup', async () => {
    const premises = await givenInitialised()
    const [folder, disk] = [givenFolder(), new FullDisk(64)]
    onTestFinished(() => disk.remove())
    premises.configure({ audit: { directory: disk.path } })
    disk.fill(0)
    const backup = ['backup', 'create', join(folder, 'b.age'), '--recipient', givenAgePair(folder).recipient]
    expect(await premises.run(backup)).toMatchObject({
      status: 6,
      stderr: expect.stringContaining('The disk of audit.directory is full'),
    })
  })
})
