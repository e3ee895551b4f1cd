import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/config/loader.ts'
import { asSecurityOfficer } from '../../../src/hsm/pkcs11/security-officer.ts'
import { withRefusedPins } from '../../../src/hsm/server/refused-pins.ts'
import { tokenLocationOf } from '../../../src/hsm/server/token-location.ts'
import { TestAppliance } from '../../support/appliance.ts'
import { givenInitialised, type Premises, strongroom } from '../../support/console-kit.ts'
import { processesOf } from '../../support/fault-kit.ts'
import { makeToken, type TestToken } from '../../support/token.ts'
import { eventually } from '../../support/fault-kit.ts'
import { hostEntry, type Hosts, makeShim, type Shim, startHosts } from './hsm-kit.ts'

let hosts: Hosts | undefined
let appliance: TestAppliance | undefined
afterEach(async () => {
  await hosts?.close()
  await appliance?.close()
  hosts = appliance = undefined
})

function write(token: TestToken, pin: string): void {
  chmodSync(token.pinFile, 0o600)
  writeFileSync(token.pinFile, pin)
}

/** Premises that use the shim, with this content in their PIN file. */
async function givenPin(pin: string): Promise<{ premises: Premises; shim: Shim; file: string }> {
  const premises = await givenInitialised({ tokenHost: false })
  const shim = makeShim(premises.token)
  premises.configure({ hsm: { module: shim.module } })
  write(premises.token, pin)
  return { premises, shim, file: join(premises.directory, 'data/refused-pins.sqlite') }
}

/** Waits until both token hosts and the key maker have this state. */
const areAll = (state: string) =>
  eventually(async () => (await appliance?.hsm.status())?.filter((one) => one.state === state).length === 3)

describe('a PIN that the token refused', () => {
  it('is not presented again by init, doctor, the daemon, or a process in place of another', async () => {
    appliance = await TestAppliance.own({}, { hosts: 2 })
    const running = appliance
    const { token, configFile } = running
    const [pin, shim] = [readFileSync(token.pinFile, 'utf8'), makeShim(token)]
    await appliance.stop()
    const config = JSON.parse(readFileSync(configFile, 'utf8'))
    writeFileSync(configFile, JSON.stringify({ ...config, hsm: { ...config.hsm, module: shim.module } }))
    write(token, 'not the PIN')

    const run = (...args: string[]) => strongroom(configFile, args)
    expect(await run('init')).toMatchObject({ status: 3, stderr: expect.stringContaining('CKR_PIN_INCORRECT') })
    expect(shim.calls('C_Login')).toHaveLength(1)
    for (const _ of [1, 2, 3]) expect((await run('doctor')).stdout).toContain('The token refused the PIN at 20')
    await appliance.restart()
    await areAll('sealed')
    expect((await run('doctor')).stdout).toMatch(/refused the PIN at 20\d\d-[^(]* UTC \(CKR_PIN_INCORRECT\)/)
    expect((await run('init')).status).toBe(3)

    const pids = holders(appliance)
    expect(pids).toHaveLength(4)
    for (const pid of pids) process.kill(pid, 'SIGKILL')
    await eventually(() => holders(running).filter((pid) => !pids.includes(pid)).length === 4)
    await areAll('sealed')
    expect(shim.calls('C_Login')).toHaveLength(1)

    // A changed file is read again, so that nothing has to be restarted.
    write(token, pin)
    await areAll('ready')
    await eventually(() => shim.calls('C_Login').length === 5)
    expect(shim.calls('C_Login').filter((line) => line.endsWith(' 0x0'))).toHaveLength(4)
  }, 120_000)

  it('is presented by one of four processes that start at once', async () => {
    const token = await makeToken()
    const shim = makeShim(token)
    write(token, 'not the PIN')
    // Started for its configuration file.
    hosts = await startHosts({ token, hsm: { module: '/nowhere/module.so' } })
    const file = hosts.configFile
    writeFileSync(file, readFileSync(file, 'utf8').replace('/nowhere/module.so', shim.module))
    const ends = [1, 2, 3, 4].map((number) => {
      const socket = join(token.directory, `own-${number}.sock`)
      const host = spawn(process.execPath, [hostEntry, '--config', file, '--socket', socket])
      return { host, socket, ended: new Promise((resolve) => host.once('exit', resolve)) }
    })
    await eventually(() => ends.every(({ socket }) => existsSync(socket)))
    for (const { host } of ends) host.kill()
    await Promise.all(ends.map(({ ended }) => ended))
    expect(shim.calls('C_Login')).toHaveLength(1)
  })

  it('is remembered when another one is refused after it, and forgotten after a login', async () => {
    const { premises, shim, file } = await givenPin('first')
    const [status, good] = [() => premises.run(['init']), await goodPin(premises)]
    for (const pin of ['first', 'second', 'first', 'second']) {
      write(premises.token, pin)
      expect((await status()).status).toBe(3)
    }
    expect(shim.calls('C_Login')).toHaveLength(2)
    write(premises.token, good)
    expect((await status()).status).toBe(0)
    write(premises.token, 'first')
    const before = shim.calls('C_Login').length
    expect((await status()).status).toBe(3)
    expect(shim.calls('C_Login')).toHaveLength(before + 1)
    // An operator who has set this PIN in the token removes the file.
    rmSync(file)
    expect((await status()).status).toBe(3)
    expect(shim.calls('C_Login')).toHaveLength(before + 2)
  })

  it('does not stand in the file that remembers it, which its owner alone reads', async () => {
    const { premises, file } = await givenPin('1234')
    await premises.run(['init'])
    const kept = readFileSync(file)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(kept.includes('1234')).toBe(false)
    for (const algorithm of ['sha1', 'sha256', 'sha512'])
      expect(kept.includes(createHash(algorithm).update('1234').digest())).toBe(false)
    const other = await givenPin('1234')
    await other.premises.run(['init'])
    // Each file has another salt, so that the same PIN gives other bytes.
    const tail = (bytes: Buffer) => bytes.subarray(-48).toString('hex')
    expect(tail(readFileSync(other.file))).not.toBe(tail(kept))
  })

  it('is not presented at all where its refusal could not be remembered', async () => {
    const { premises, shim, file } = await givenPin('1234')
    rmSync(file, { force: true })
    mkdirSync(file)
    expect(await premises.run(['init'])).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('refused-pins.sqlite beside hsm.keeper.state cannot be written'),
    })
    expect(shim.calls('C_Login')).toEqual([])
  })
})

describe('the security officer', () => {
  it('does not log in either while another process does, as SoftHSM2 empties and writes the same file', async () => {
    const { premises, file } = await givenPin('1234')
    const location = tokenLocationOf(loadConfig(premises.configFile))
    const soPin = readFileSync(premises.token.soPinFile, 'utf8')
    const asOfficer = () => asSecurityOfficer(location, soPin, () => 'logged in')
    withRefusedPins(file, () => expect(asOfficer).toThrow('Another process has been logging in'))
    expect(asOfficer()).toBe('logged in')
  })
})

/** The PIN of the premises' token: all copies have the same. */
async function goodPin(premises: Premises): Promise<string> {
  const fresh = await makeToken()
  expect(fresh.tokenUri).toBe(premises.token.tokenUri)
  const pin = readFileSync(fresh.pinFile, 'utf8')
  fresh.cleanup()
  return pin
}

/** Process ids of the keeper and the token hosts. */
function holders(of: TestAppliance): number[] {
  const { keeper, hosts, keyMaker } = processesOf(of)
  return [...keeper, ...hosts, ...keyMaker]
}
