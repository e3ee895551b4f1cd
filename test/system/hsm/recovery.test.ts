import { spawn, spawnSync } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, chownSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { createBackupKit } from './backup-kit.ts'
import { eventually } from '../../support/fault-kit.ts'
import { type Hosts, type Shim, makeShim, otpDevice, startHosts, inside } from './hsm-kit.ts'
import { newKeyPolicy, sealedJob } from '../../support/import-job.ts'
import { rsaAesWrap } from '../../support/rsa-aes-wrap.ts'
import { makeToken } from '../../support/token.ts'
import { isServed } from '../../../src/hsm/protocol/served-socket.ts'
import { madeObject, madeVaultKey } from '../../support/token-objects.ts'

const isRoot = process.getuid?.() === 0
const mayTraceOthers = isRoot && spawnSync('strace', ['-qq', 'true']).status === 0

let hosts: Hosts | undefined
let shim: Shim

async function givenHosts(options: Parameters<typeof startHosts>[0] = {}): Promise<Hosts> {
  const token = await makeToken()
  shim = makeShim(token)
  hosts = await startHosts({ ...options, token, hsm: { module: shim.module, ...options.hsm } })
  return hosts
}

afterEach(async () => {
  await hosts?.close()
  hosts = undefined
})

/** CKR codes of PKCS#11 v2.40 §11.1. */
const ckr = {
  hostMemory: 0x2,
  generalError: 0x5,
  deviceError: 0x30,
  deviceMemory: 0x31,
  deviceRemoved: 0x32,
  keyHandleInvalid: 0x60,
  mechanismInvalid: 0x70,
  operationActive: 0x90,
  pinLocked: 0xa4,
  sessionHandleInvalid: 0xb3,
  tokenNotPresent: 0xe0,
  userNotLoggedIn: 0x101,
  cryptokiNotInitialized: 0x190,
}

const passing = [
  ckr.hostMemory,
  ckr.deviceError,
  ckr.deviceMemory,
  ckr.deviceRemoved,
  ckr.keyHandleInvalid,
  ckr.operationActive,
  ckr.sessionHandleInvalid,
  ckr.tokenNotPresent,
  ckr.userNotLoggedIn,
  ckr.cryptokiNotInitialized,
]

describe('a failure of the token that passes', () => {
  it('is not felt by the caller', async () => {
    const { hsm, givenKey, pids } = await givenHosts()
    const key = await givenKey('aes256-gcm')
    const ciphertext = await hsm.encrypt(key, Buffer.from('before'))
    for (const call of ['C_EncryptInit', 'C_Encrypt', 'C_UnwrapKey', 'C_Sign', 'C_OpenSession']) {
      for (const code of passing) {
        const fresh = await givenKey('aes128-gcm')
        shim.command(`${call} fail-once ${code}`)
        expect(await hsm.decrypt(fresh, await hsm.encrypt(fresh, Buffer.from('during')))).toEqual(Buffer.from('during'))
        expect(await hsm.decrypt(key, ciphertext)).toEqual(Buffer.from('before'))
      }
    }
    expect(pids()).toHaveLength(1)
  })

  it('gives a new epoch where handles may have changed hands, and none where not', async () => {
    const { hsm, givenKey } = await givenHosts()
    const key = await givenKey('aes256-gcm')
    const epochAfter = async (code: number) => {
      shim.command(`C_EncryptInit fail-once ${code}`)
      await hsm.encrypt(key, Buffer.from('x'))
      return (await hsm.status())[0]?.token?.epoch
    }
    expect(await epochAfter(ckr.operationActive)).toBe(1)
    expect(await epochAfter(ckr.keyHandleInvalid)).toBe(1)
    expect(await epochAfter(ckr.userNotLoggedIn)).toBe(2)
    expect(await epochAfter(ckr.deviceRemoved)).toBe(3)
  })
})

describe('a failure of the token that stays', () => {
  it('is hsm.unavailable while it lasts and over when it ends', async () => {
    const { hsm, givenKey } = await givenHosts()
    const key = await givenKey('aes256-gcm')
    for (const code of [ckr.deviceError, ckr.generalError, ckr.sessionHandleInvalid, ckr.deviceMemory]) {
      shim.command(`C_EncryptInit fail ${code}`)
      await expect(hsm.encrypt(key, Buffer.from('x'))).rejects.toMatchObject({ code: 'hsm.unavailable' })
      shim.behave()
      await eventually(async () => (await hsm.status())[0]?.state === 'ready')
      expect(await hsm.decrypt(key, await hsm.encrypt(key, Buffer.from('x')))).toEqual(Buffer.from('x'))
    }
  })

  it('in one function leaves the others alone', async () => {
    const { hsm, givenKey } = await givenHosts()
    const key = await givenKey('aes256-gcm')
    shim.command(`C_GenerateRandom fail ${ckr.generalError}`)
    await expect(hsm.random(16)).rejects.toMatchObject({ code: 'hsm.unavailable' })
    await hsm.encrypt(key, Buffer.from('x'))
    expect((await hsm.status())[0]?.token?.epoch).toBe(1)
  })

  it('is hsm.unsupported where the mechanism is missing', async () => {
    const { hsm, givenKey } = await givenHosts()
    const key = await givenKey('aes256-gcm')
    shim.command(`C_EncryptInit fail ${ckr.mechanismInvalid}`)
    await expect(hsm.encrypt(key, Buffer.from('x'))).rejects.toMatchObject({ code: 'hsm.unsupported' })
  })

  it('garbage from a caller is none: it makes no epoch and fails no other call', async () => {
    const { hsm, givenKey } = await givenHosts()
    const key = await givenKey('aes256-gcm')
    const garbage = Array.from({ length: 200 }, () => hsm.decrypt(key, Buffer.alloc(60, 1)))
    const good = Array.from({ length: 200 }, () => hsm.encrypt(key, Buffer.from('x')))
    for (const outcome of await Promise.allSettled(garbage))
      expect(outcome).toMatchObject({ reason: { code: 'hsm.rejected' } })
    await Promise.all(good)
    expect((await hsm.status())[0]?.token?.epoch).toBe(1)
  })
})

describe('the PIN', () => {
  it('is tried once when it is wrong, by one host of several, and never again', async () => {
    const token = await makeToken()
    chmodSync(token.pinFile, 0o600)
    writeFileSync(token.pinFile, 'not the PIN')
    shim = makeShim(token)
    hosts = await startHosts({ token, count: 2, hsm: { module: shim.module } })
    expect(hosts.statuses.map(({ state }) => state)).toEqual(['sealed', 'sealed'])
    for (let round = 0; round < 20; round++) {
      await expect(hosts.hsm.random(16)).rejects.toMatchObject({
        code: 'hsm.sealed',
        detail: expect.stringContaining('hsm.pinFile'),
      })
    }
    expect((await hosts.hsm.status()).map(({ state }) => state)).toEqual(['sealed', 'sealed'])
    expect(shim.calls('C_Login')).toHaveLength(1)
    const { hsm, pids } = hosts
    process.kill(pids()[0] ?? 0, 'SIGKILL')
    await eventually(() => pids().length === 3)
    await eventually(async () => (await hsm.status())[0]?.state === 'sealed')
    expect(shim.calls('C_Login')).toHaveLength(1)
  })

  it('seals the host when it is refused in the middle of the work', async () => {
    const { hsm, givenKey } = await givenHosts()
    const key = await givenKey('aes256-gcm')
    shim.command(`C_Login fail ${ckr.pinLocked}`)
    const before = shim.calls('C_Login').length
    process.kill(hosts?.pids()[0] ?? 0, 'SIGKILL')
    await eventually(async () => (await hsm.status())[0]?.state === 'sealed')
    await expect(hsm.encrypt(key, Buffer.from('x'))).rejects.toMatchObject({ code: 'hsm.sealed' })
    expect(shim.calls('C_Login')).toHaveLength(before + 1)
  })
})

describe('what is missing', () => {
  it('is named: the module', async () => {
    const { hsm } = (hosts = await startHosts({ hsm: { module: '/nowhere/libpkcs11.so' } }))
    await expect(hsm.random(1)).rejects.toMatchObject({
      code: 'hsm.unavailable',
      detail: expect.stringContaining('hsm.module'),
    })
  })

  it('is named: the token', async () => {
    const { hsm } = (hosts = await startHosts({ hsm: { token: 'pkcs11:token=another' } }))
    await expect(hsm.random(1)).rejects.toMatchObject({
      code: 'hsm.unavailable',
      detail: expect.stringContaining('hsm.token'),
    })
  })

  it('is named: the PIN file', async () => {
    const { hsm } = (hosts = await startHosts({ hsm: { pinFile: '/nowhere/pin' } }))
    await expect(hsm.random(1)).rejects.toMatchObject({
      code: 'hsm.unavailable',
      detail: expect.stringContaining('/nowhere/pin'),
    })
  })

  it('is noticed when the folder of the token vanishes, and mended when it comes back', async () => {
    const { hsm, token, givenKey } = (hosts = await startHosts())
    const key = await givenKey('aes256-gcm')
    await hsm.encrypt(key, Buffer.from('x'))
    renameSync(token.tokenDirectory, join(token.directory, 'away'))
    await eventually(async () => (await hsm.status())[0]?.state === 'down')
    await expect(hsm.encrypt(key, Buffer.from('x'))).rejects.toMatchObject({ code: 'hsm.unavailable' })
    rmSync(token.tokenDirectory, { recursive: true, force: true })
    renameSync(join(token.directory, 'away'), token.tokenDirectory)
    await eventually(async () => (await hsm.status())[0]?.state === 'ready')
    expect(await hsm.decrypt(key, await hsm.encrypt(key, Buffer.from('x')))).toEqual(Buffer.from('x'))
  })
})

describe('hosts', () => {
  it('may be killed in the middle of the work: no call fails and no answer is wrong', async () => {
    const { hsm, givenKey, pids } = (hosts = await startHosts({ count: 2 }))
    const keys = await Promise.all([givenKey('aes256-gcm'), givenKey('aes128-gcm')])
    const allReady = async () => (await hsm.status()).every(({ state }) => state === 'ready')
    let killed = 0
    const callers = Array.from({ length: 16 }, async (_, caller) => {
      for (let round = 0; round < 150; round++) {
        const key = keys[(caller + round) % 2] ?? keys[0]
        const plaintext = Buffer.from(`caller ${caller} round ${round}`)
        expect(await hsm.decrypt(key, await hsm.encrypt(key, plaintext))).toEqual(plaintext)
        if (caller !== 0 || round % 60 !== 20) continue
        // A slow machine may start the next host after calls have waited for any.
        await eventually(allReady)
        process.kill(pids()[killed++] ?? 0, 'SIGKILL')
      }
    })
    await Promise.all(callers)
    expect(killed).toBe(3)
    await eventually(allReady)
  })

  it('that hang in the module are killed and replaced', async () => {
    const { hsm, givenKey, pids } = await givenHosts({ deadlineMs: 3_000 })
    const key = await givenKey('aes256-gcm')
    shim.command('C_Encrypt hang')
    await expect(hsm.encrypt(key, Buffer.from('x'))).rejects.toMatchObject({ code: 'hsm.unavailable' })
    shim.behave()
    await eventually(() => pids().length > 1)
    await eventually(async () => (await hsm.status())[0]?.state === 'ready')
    expect(await hsm.decrypt(key, await hsm.encrypt(key, Buffer.from('x')))).toEqual(Buffer.from('x'))
    expect(() => process.kill(pids()[0] ?? 0, 0)).toThrow('ESRCH')
  })

  it('that are merely slow are not', async () => {
    const { hsm, givenKey, pids } = await givenHosts()
    const key = await givenKey('aes256-gcm')
    shim.command('C_Encrypt slow 300')
    await Promise.all(Array.from({ length: 6 }, () => hsm.encrypt(key, Buffer.from('x'))))
    expect(pids()).toHaveLength(1)
  })

  it('refuse what is more than the queue, and serve the rest', async () => {
    const { hsm, givenKey } = await givenHosts({ hsm: { queue: 10 } })
    const key = await givenKey('aes256-gcm')
    shim.command('C_Encrypt slow 20')
    const outcomes = await Promise.allSettled(Array.from({ length: 60 }, () => hsm.encrypt(key, Buffer.from('x'))))
    const refused = outcomes.filter(({ status }) => status === 'rejected')
    expect(refused.length).toBeGreaterThan(0)
    for (const outcome of refused)
      expect(outcome).toMatchObject({
        reason: { code: 'hsm.unavailable', detail: expect.stringContaining('hsm.queue') },
      })
    expect(outcomes.length - refused.length).toBeGreaterThanOrEqual(10)
    shim.behave()
    await hsm.encrypt(key, Buffer.from('x'))
  })

  it('end when they are told to', async () => {
    const { supervisor, pids } = (hosts = await startHosts({ count: 2 }))
    await supervisor.close()
    for (const pid of pids()) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })

  const owners = [
    ['', 0],
    [', nor where root takes the rights of who owns the token', 65_534],
  ] as const
  it.each(owners.slice(0, isRoot ? 2 : 1))(
    'end with a parent that is killed, even while they hang in the module%s',
    async (_, owner) => {
      const { token, sockets, configFile, hsm, givenKey, supervisor } = await givenHosts()
      const key = await givenKey('aes256-gcm')
      await supervisor.close()
      if (isRoot) chownSync(token.tokenDirectory, owner, owner)
      const { parent, pids } = givenParent({ configFile, sockets })
      await eventually(async () => (await hsm.status())[0]?.state === 'ready')
      writeFileSync(join(token.directory, 'control'), 'C_Encrypt hang')
      const unwrapped = shim.calls('C_UnwrapKey').length
      const hanging = hsm.encrypt(key, Buffer.from('x'))
      const answer = expect(hanging).rejects.toMatchObject({ code: 'hsm.unavailable' })
      // It encrypts before it does anything else.
      await eventually(() => shim.calls('C_UnwrapKey').length > unwrapped)
      const [pid = 0] = pids
      expect(isRunning(pid)).toBe(true)
      parent.kill('SIGKILL')
      await eventually(() => !isRunning(pid))
      await answer
    },
  )

  it.runIf(mayTraceOthers)(
    'that nobody can connect to, for their socket is removed, are replaced once the system has memory for a process',
    async () => {
      const { supervisor, ...places } = await givenHosts()
      await supervisor.close()
      const { parent, pids } = givenParent(places)
      await eventually(() => pids.length === 2)
      const calls = 'clone,clone3,fork,vfork'
      const strace = spawn('strace', [
        '-o',
        '/dev/null',
        '-e',
        `inject=${calls}:error=ENOMEM`,
        '-p',
        String(parent.pid),
      ])
      // It says that it is attached.
      await once(strace.stderr, 'data')
      rmSync(String(places.sockets[0]))
      await eventually(() => pids.length > 2)
      expect(isRunning(pids[0] ?? 0)).toBe(false)
      expect(pids.slice(2).every(Number.isNaN)).toBe(true)
      strace.kill('SIGINT')
      await eventually(() => isRunning(pids.at(-1) ?? 0))
    },
  )
})

/** A process that keeps hosts. `pids`: of those that it has started, NaN where none could be; 0 once the first have answered. */
function givenParent({ configFile, sockets }: Pick<Hosts, 'configFile' | 'sockets'>) {
  const program = `const { createTokenSupervisor } = await import(${JSON.stringify(resolve('dist/modules/supervisor.js'))})
    const log = { info: ({ child }) => console.log(child), warn() {}, error() {} }
    await createTokenSupervisor({ configFile: ${JSON.stringify(configFile)}, sockets: ${JSON.stringify(sockets)}, deadlineMs: 60000, log }).start()
    console.log(0)`
  const command = ['--input-type=module', '-e', program]
  const parent = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void parent.kill('SIGKILL'))
  const pids: number[] = []
  parent.stdout.on('data', (lines: Buffer) => pids.push(...lines.toString().trim().split('\n').map(Number)))
  return { parent, pids }
}

/** A zombie counts as ended: its new parent may wait for it later. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

describe('the keeper', () => {
  it('whose operator socket is removed, so that no command can reach it, is replaced', async () => {
    const { token, pids } = await givenHosts({ keeper: true })
    const operatorSocket = join(token.directory, 'operator.sock')
    const before = pids().length
    rmSync(operatorSocket)
    await eventually(() => pids().length > before)
    await eventually(() => isServed(operatorSocket))
    expect(isRunning(pids()[0] ?? 0)).toBe(false)
  })
})

describe('handles', () => {
  it('are held up to the limit, unwrapped again after it, and destroyed when they go', async () => {
    const { hsm, givenKey } = await givenHosts({ hsm: { handles: 3 } })
    const keys = await Promise.all(Array.from({ length: 5 }, () => givenKey('aes256-gcm')))
    const texts = []
    for (const key of keys) texts.push(await hsm.encrypt(key, Buffer.from('x')))
    // Before the calls are counted, because the status probes the token with keys of its own.
    expect((await hsm.status())[0]?.token?.handles).toEqual({ held: 3, limit: 3 })
    const [destroyed, unwrapped] = [shim.calls('C_DestroyObject').length, shim.calls('C_UnwrapKey').length]
    for (const [index, key] of keys.entries())
      expect(await hsm.decrypt(key, texts[index] ?? Buffer.alloc(0))).toEqual(Buffer.from('x'))
    // Each of the five had been evicted before its next use, because they are used in turn.
    expect(shim.calls('C_UnwrapKey').length - unwrapped).toBe(5)
    expect(shim.calls('C_DestroyObject').length - destroyed).toBe(5)
    const last = keys.at(-1)
    if (last !== undefined) await hsm.encrypt(last, Buffer.from('x'))
    expect(shim.calls('C_UnwrapKey').length - unwrapped).toBe(5)
  })
})

const made = () =>
  shim.calls('C_GenerateKey').length + shim.calls('C_CreateObject').length - shim.calls('C_DestroyObject').length

describe('the attributes of session keys, as the module reports them', () => {
  it('are the least that each kind needs', async () => {
    const started = await givenHosts({ keeper: true })
    const { hsm, givenKey } = started
    const unwrappedAs = async (use: () => Promise<unknown>) => {
      await use()
      return shim.calls('C_UnwrapKey').at(-1)?.split(' ').slice(2).join(' ')
    }
    const cipher = await givenKey('aes256-gcm')
    const born = shim.calls('C_GenerateKey').at(-1)
    expect(born).toMatch(/ PRIVATE SENSITIVE EXTRACTABLE ENCRYPT DECRYPT$/)
    expect(await unwrappedAs(() => hsm.encrypt(cipher, Buffer.from('x')))).toBe('PRIVATE SENSITIVE ENCRYPT DECRYPT')
    const given = (kind: 'otp-hmac-sha1' | 'otp-aes128', fields?: Parameters<typeof otpDevice>[3]) =>
      otpDevice(started, kind, Buffer.alloc(kind === 'otp-aes128' ? 16 : 20, 1), fields)
    const seed = await given('otp-hmac-sha1')
    expect(shim.calls('C_CreateObject').at(-1)).toMatch(/ PRIVATE SENSITIVE EXTRACTABLE SIGN$/)
    expect(await unwrappedAs(() => hsm.checkOtp([seed], { code: '12345678' }))).toBe('PRIVATE SENSITIVE SIGN')
    const block = await given('otp-aes128', { device: 'hwkey_otp', privateIdCheck: Buffer.alloc(32) })
    // The block is no OTP and is refused, but the key is unwrapped for that.
    const opening = () => hsm.checkOtp([block], { block: Buffer.alloc(16) })
    expect(await unwrappedAs(opening)).toBe('PRIVATE SENSITIVE DECRYPT')
    await madeVaultKey(started)
    expect(shim.calls('C_GenerateKey').at(-1)).toMatch(/ TOKEN PRIVATE SENSITIVE ENCRYPT DECRYPT$/)
  })

  it('leave no extractable key behind: as many are destroyed as are generated', async () => {
    const { hsm } = await givenHosts()
    const before = made()
    for (let round = 0; round < 5; round++) {
      await hsm.generate('aes256-gcm', { exportable: true, backup: true })
      await hsm.importSecret('otp-hmac-sha1', Buffer.alloc(20, 1))
    }
    expect(made()).toBe(before)
  })

  it('of keys on their way are destroyed on arrival, and where they are refused', async () => {
    const { hsm, givenKey, reference, token } = await givenHosts({ keyMaker: true })
    const kit = createBackupKit({ hsm, token })
    const pair = await hsm.generatePair('rsa-3072')
    const recipient = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey
    const options = { exportable: true, backup: true }
    const job = sealedJob(token, pair, 'aes256-gcm', options)
    const to = { policy: newKeyPolicy(token, options), vaultKey: await kit.vaultKey() }
    const takeIn = async (wrapped: Buffer) => inside(token, to.vaultKey, await hsm.importKey(job, wrapped, to))
    // This also makes the data key of the vault that keys belong to.
    await givenKey('aes256-gcm')
    const left = () => made() + shim.calls('C_UnwrapKey').length
    const before = left()
    for (let round = 0; round < 3; round++) {
      const generated = await takeIn(rsaAesWrap(pair.publicKey, randomBytes(32)))
      const key = await reference('aes256-gcm', generated)
      await hsm.exportKey(key, recipient.export({ type: 'spki', format: 'der' }))
      await hsm.exportPlain(key)
      const backup = generated.backup ?? generated
      await kit.restore(await kit.backUp('aes256-gcm', generated, true))
      await expect(kit.restore(kit.forged('aes128-gcm', backup))).rejects.toMatchObject({ code: 'hsm.rejected' })
      for (const bytes of [16, 25]) {
        const wrong = rsaAesWrap(pair.publicKey, randomBytes(bytes))
        await expect(takeIn(wrong)).rejects.toMatchObject({ code: 'hsm.rejected' })
      }
    }
    expect(left()).toBe(before)
  })

  it('that stay in the token are not destroyed when their handle goes', async () => {
    const { hsm, token, reference } = await givenHosts({ hsm: { handles: 2 } })
    const { id } = await madeObject({ hsm, token }, 'aes256-gcm')
    const inToken = await reference('aes256-gcm', { kek: 'token', blob: Buffer.from(id, 'hex') })
    const ciphertext = await hsm.encrypt(inToken, Buffer.from('x'))
    for (let count = 0; count < 5; count++) {
      const other = await reference(
        'aes256-gcm',
        await hsm.generate('aes256-gcm', { exportable: false, backup: false }),
      )
      await hsm.encrypt(other, Buffer.from('x'))
    }
    expect(await hsm.decrypt(inToken, ciphertext)).toEqual(Buffer.from('x'))
  })
})
