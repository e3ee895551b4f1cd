import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pkcs11 from 'pkcs11js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { TestAppliance } from '../../support/appliance.ts'
import { givenInitialised, type Premises, recorded, strongroom } from '../../support/console-kit.ts'
import { eventually, processesOf } from '../../support/fault-kit.ts'
import { withPin } from '../../support/pin-session.ts'
import { repeats } from '../../support/release.ts'
import type { TestToken } from '../../support/token.ts'
import { makeVault } from '../../support/vault.ts'
import { makeShim, type Shim } from '../hsm/hsm-kit.ts'

const operations = readFileSync(resolve(import.meta.dirname, '../../../docs/operations.md'), 'utf8')
const entry = resolve(import.meta.dirname, '../../../dist/bin/strongroom.js')

/** The arguments of a command in operations.md. */
function documented(begin: string): string[] {
  const line = operations.split('\n').find((one) => one.startsWith(`strongroom ${begin}`))
  if (line === undefined) throw new Error(`operations.md has no strongroom ${begin}`)
  return line.split(' ').slice(1)
}

/** Whether the token accepts this PIN, according to another program. */
function takes({ module, softhsmConf }: TestToken, pin: string): boolean {
  const args = ['--module', module, '--token-label', 'strongroom', '--login', '--pin', pin, '--list-objects']
  return spawnSync('pkcs11-tool', args, { env: { ...process.env, SOFTHSM2_CONF: softhsmConf } }).status === 0
}

/** The same for the PIN of the security officer, who needs a read-write session. */
function takesOfOfficer(token: TestToken, pin: string): boolean {
  try {
    withPin(token, () => undefined, { as: pkcs11.CKU_SO, pin })
    return true
  } catch (error) {
    expect(String(error)).toContain('CKR_PIN_INCORRECT')
    return false
  }
}

const pinOf = ({ pinFile }: TestToken) => readFileSync(pinFile, 'utf8')

/** Other files of the PIN in its folder. */
const leftovers = ({ pinFile, directory }: TestToken) =>
  readdirSync(directory).filter((name) => name.startsWith('pin') && join(directory, name) !== pinFile)

async function givenShim(): Promise<{ premises: Premises; shim: Shim; token: TestToken }> {
  const premises = await givenInitialised({ tokenHost: false })
  const shim = makeShim(premises.token)
  premises.configure({ hsm: { module: shim.module } })
  return { premises, shim, token: premises.token }
}

const refusals = (shim: Shim) => shim.calls('C_Login').filter((line) => !line.endsWith(' 0x0'))

/** Starts the command in its own process. The result can kill it. */
function started({ configFile }: Premises): { kill(): Promise<void> } {
  const child = spawn(process.execPath, [entry, '--config', configFile, 'token', 'change-pin'], { stdio: 'ignore' })
  const ended = new Promise((done) => child.once('exit', done))
  return {
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

const kills = repeats(3, 6)

describe('strongroom token change-pin', () => {
  it('refuses a PIN that reads otherwise from its file, before the token hears of it', async () => {
    const premises = await givenInitialised({ tokenHost: false })
    const [before, file] = [pinOf(premises.token), join(premises.directory, 'given')]
    writeFileSync(file, 'a good PIN\n\n', { mode: 0o600 })
    expect(await premises.run(['token', 'change-pin', '--new-pin-file', file])).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('ends with an empty line'),
    })
    expect([takes(premises.token, before), pinOf(premises.token), leftovers(premises.token)]).toEqual([
      true,
      before,
      [],
    ])
  })

  it('gives token and file another PIN while the daemon serves, and the next host logs in by it', async () => {
    const appliance = await TestAppliance.own()
    onTestFinished(() => appliance.close())
    const { token, configFile } = appliance
    const before = pinOf(token)
    // As setup without systemd leaves it: it belongs to the user of the hosts, while root runs the console.
    if (process.getuid?.() === 0) chownSync(token.pinFile, 65_534, 65_534)
    const { mode, uid } = statSync(token.pinFile)
    const vault = await makeVault(appliance)
    await vault.admin.must('POST', `/transparent/${vault.id}/keys/key`, { type: 'aes256-gcm96' })
    const early = await vault.encrypt('key', Buffer.from('early').toString('base64'))

    const outcome = await strongroom(configFile, ['--json', ...documented('token change-pin')])
    expect(outcome).toMatchObject({ status: 0, stderr: '' })
    expect(JSON.parse(outcome.stdout)).toMatchObject({ outcome: 'changed', file: token.pinFile })
    const after = pinOf(token)
    expect(after).toMatch(/^[A-Za-z0-9]{24}$/)
    expect([takes(token, after), takes(token, before)]).toEqual([true, false])
    expect([statSync(token.pinFile).mode, statSync(token.pinFile).uid]).toEqual([mode, uid])
    expect(leftovers(token)).toEqual([])
    expect(appliance.trail.join('')).toContain('"operation":"console.token.change-pin"')

    // Objects that hosts with the former login make can be read by hosts that log in by the new PIN.
    const late = await makeVault(appliance)
    await late.admin.must('POST', `/transparent/${late.id}/keys/key`, { type: 'aes256-gcm96' })
    const written = await late.encrypt('key', Buffer.from('late').toString('base64'))
    const { hosts, keeper } = processesOf(appliance)
    for (const pid of [...hosts, ...keeper]) process.kill(pid, 'SIGKILL')
    // The workers find the new processes by themselves, perhaps later than this process.
    await eventually(async () => (await appliance.hsm.status())[0]?.state === 'ready')
    const serves = () =>
      late.decrypt('key', written).then(
        () => true,
        () => false,
      )
    await eventually(serves)
    expect(Buffer.from(await late.decrypt('key', written), 'base64').toString()).toBe('late')
    expect(Buffer.from(await vault.decrypt('key', early), 'base64').toString()).toBe('early')
    expect((await strongroom(configFile, ['token', 'status'])).status).toBe(0)
  })

  it.each([
    ['before the token has it', 'C_SetPIN hang', 'changed'],
    ['after the token has it', 'C_SetPIN hang-after', 'finished'],
  ])('killed %s, leaves a token that opens, and is finished by the next run', async (_, command, outcome) => {
    const { premises, shim, token } = await givenShim()
    const before = pinOf(token)
    shim.command(command)
    const run = started(premises)
    await eventually(() => existsSync(`${token.pinFile}.next`))
    if (outcome === 'finished') await eventually(() => shim.calls('C_SetPIN').length === 1)
    else await delay(300)
    await run.kill()
    shim.behave()
    const next = readFileSync(`${token.pinFile}.next`, 'utf8')
    const own = outcome === 'finished' ? next : before
    expect(takes(token, own)).toBe(true)
    expect(pinOf(token)).toBe(before)

    const refusedBefore = refusals(shim).length
    const doctor = await premises.run(['--json', 'doctor'])
    expect(doctor.stdout).toContain('a change of the PIN was interrupted')
    expect(await premises.run(['token', 'status'])).toMatchObject({ status: 0 })
    // One of the two may be refused once, by all processes together.
    expect(refusals(shim).length - refusedBefore).toBe(outcome === 'finished' ? 1 : 0)
    expect((await premises.ask(['token', 'change-pin'])).outcome).toBe(outcome)
    expect(refusals(shim).length - refusedBefore).toBe(outcome === 'finished' ? 1 : 0)
    expect(takes(token, pinOf(token))).toBe(true)
    expect(pinOf(token) === next).toBe(outcome === 'finished')
    expect(leftovers(token)).toEqual([])
    expect((await premises.run(['token', 'status'])).status).toBe(0)
  })

  it('killed at any moment, never leaves a token that two tries do not open', async () => {
    const { premises, shim, token } = await givenShim()
    const startedMs = performance.now()
    await premises.ask(['token', 'change-pin'])
    // In its own process it takes longer, because the program is loaded first.
    const spanMs = 2 * (performance.now() - startedMs)
    for (let round = 1; round <= kills; round++) {
      const before = refusals(shim).length
      const run = started(premises)
      await delay((spanMs * round) / kills)
      await run.kill()
      expect(await premises.run(['token', 'status'])).toMatchObject({ status: 0 })
      expect(refusals(shim).length - before).toBeLessThanOrEqual(1)
    }
    await premises.ask(['token', 'change-pin'])
    expect(takes(token, pinOf(token))).toBe(true)
    expect(leftovers(token)).toEqual([])
  }, 120_000)

  it('takes a PIN from a file, and changes nothing where the token does not take it', async () => {
    const { premises, shim, token } = await givenShim()
    const before = pinOf(token)
    const short = await premises.run(['token', 'change-pin', '--new-pin-file', '-'], 'abc\n')
    expect(short).toMatchObject({ status: 3, stderr: expect.stringContaining('PINs of 4 to 255 bytes') })
    shim.command('C_SetPIN fail 0xa1')
    const refused = await premises.run(['token', 'change-pin'])
    expect(refused).toMatchObject({ status: 3, stderr: expect.stringContaining('CKR_PIN_INVALID') })
    expect([pinOf(token), leftovers(token)]).toEqual([before, []])
    // The token failed. The next run finds out which PIN it has.
    shim.command('C_SetPIN fail 0x30')
    const failed = await premises.run(['token', 'change-pin'])
    expect(failed).toMatchObject({ status: 3, stderr: expect.stringContaining('run the command again') })
    shim.behave()
    const file = join(premises.directory, 'chosen')
    writeFileSync(file, 'a PIN of mine\n', { mode: 0o600 })
    await premises.ask(['token', 'change-pin', '--new-pin-file', file])
    expect([pinOf(token), takes(token, 'a PIN of mine')]).toEqual(['a PIN of mine', true])
    expect(leftovers(token)).toEqual([])
    expect(recorded(premises).at(-1)).toEqual(['console.token.change-pin', 'allowed', token.pinFile])
  })

  it('forgets that the PIN was refused before it was the PIN', async () => {
    const { premises, token } = await givenShim()
    const before = pinOf(token)
    const write = (pin: string) => {
      chmodSync(token.pinFile, 0o600)
      writeFileSync(token.pinFile, pin)
    }
    write('soon the PIN')
    expect((await premises.run(['init'])).status).toBe(3)
    write(before)
    await premises.run(['token', 'change-pin', '--new-pin-file', '-'], 'soon the PIN')
    expect((await premises.run(['token', 'status'])).status).toBe(0)
  })

  it('changes the PIN of the security officer, which no file keeps', async () => {
    const { premises, token } = await givenShim()
    const before = readFileSync(token.soPinFile, 'utf8')
    const args = [...documented('token change-pin --so'), '--so-pin-file', token.soPinFile]
    expect(await premises.run(args)).toMatchObject({ status: 2, stderr: expect.stringContaining('--new-pin-file') })
    await premises.ask([...args, '--new-pin-file', '-'], 'another officer')
    expect([takesOfOfficer(token, 'another officer'), takesOfOfficer(token, before)]).toEqual([true, false])
    expect(takes(token, pinOf(token))).toBe(true)
    const again = await premises.run([...args, '--new-pin-file', '-'], 'a third one')
    expect(again).toMatchObject({ status: 3, stderr: expect.stringContaining('refuses this SO PIN') })
    expect(recorded(premises).map(([operation]) => operation)).toContain('console.token.change-so-pin')
  })

  it.skipIf(!canEncrypt())('changes a PIN that systemd-creds has encrypted', async () => {
    const premises = await givenInitialised()
    const { token, directory } = premises
    const folder = join(directory, 'credentials')
    mkdirSync(folder)
    const credential = join(folder, 'pin.cred')
    execFileSync('systemd-creds', ['encrypt', '--with-key=host', '--name=pin', token.pinFile, credential])
    // The service manager knows where the hosts read it. The console finds it beside.
    premises.configure({ hsm: { pinFile: join(folder, 'pin') } })
    const { file } = await premises.ask(['token', 'change-pin', '--with-key', 'host'])
    expect(file).toBe(credential)
    const decrypted = execFileSync('systemd-creds', ['decrypt', '--name=pin', credential, '-'], { encoding: 'utf8' })
    expect(takes(token, decrypted)).toBe(true)
    expect(readdirSync(folder)).toEqual(['pin.cred'])
  })
})

function canEncrypt(): boolean {
  // The key of the host, for this test only (systemd-creds(1) makes it).
  process.env['SYSTEMD_CREDENTIAL_SECRET'] = join(tmpdir(), 'credential.secret')
  const tried = spawnSync('systemd-creds', ['encrypt', '--with-key=host', '--name=x', '-', '-'], { input: 'x' })
  return tried.status === 0
}
