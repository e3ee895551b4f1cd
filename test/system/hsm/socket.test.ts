import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, statSync, writeFileSync } from 'node:fs'
import { type Server, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHsmClient } from '../../../src/hsm/client/hsm-client.ts'
import { listenOn, type SocketUse } from '../../../src/hsm/server/frame-server.ts'
import { eventually } from '../../support/fault-kit.ts'
import { type Hosts, hostEntry, startHosts } from './hsm-kit.ts'

let directory: string
let hosts: Hosts | undefined
const servers: Server[] = []
let child: ChildProcess | undefined

const ofHost: SocketUse = { setting: 'hsm.sockets', process: 'token host' }
const ofKeeper: SocketUse = { setting: 'hsm.keeper.socket', process: 'keeper' }

const givenServer = () => {
  const server = createServer()
  servers.push(server)
  return server
}

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'strongroom-socket-'))
})

afterEach(async () => {
  child?.kill('SIGKILL')
  child = undefined
  for (const server of servers.splice(0)) server.close()
  await hosts?.close()
  hosts = undefined
})

describe('the socket of a token host', () => {
  it('is for its owner alone, and leaves the umask as it was', async () => {
    const path = join(directory, 'host.sock')
    const before = process.umask()
    await listenOn(givenServer(), path, ofHost)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(process.umask()).toBe(before)
  })

  it('replaces what a dead host left', async () => {
    const path = join(directory, 'host.sock')
    const program = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`
    await once(spawn(process.execPath, ['-e', program]), 'exit')
    expect(existsSync(path)).toBe(true)
    await listenOn(givenServer(), path, ofHost)
  })

  it('is refused where another host serves, where a file lies, and where others may write', async () => {
    const path = join(directory, 'host.sock')
    await listenOn(givenServer(), path, ofHost)
    await expect(listenOn(givenServer(), path, ofHost)).rejects.toThrow(
      `Another token host serves ${path}: stop it, or change hsm.sockets`,
    )
    const file = join(directory, 'file')
    writeFileSync(file, 'kept')
    await expect(listenOn(givenServer(), file, ofHost)).rejects.toThrow('no socket')
    chmodSync(directory, 0o777)
    await expect(listenOn(givenServer(), join(directory, 'other.sock'), ofHost)).rejects.toThrow('hsm.sockets')
  })

  it('is refused to a keeper with its own name and setting', async () => {
    const path = join(directory, 'keeper.sock')
    await listenOn(givenServer(), path, ofKeeper)
    await expect(listenOn(givenServer(), path, ofKeeper)).rejects.toThrow(
      `Another keeper serves ${path}: stop it, or change hsm.keeper.socket`,
    )
    chmodSync(directory, 0o777)
    await expect(listenOn(givenServer(), join(directory, 'other.sock'), ofKeeper)).rejects.toThrow(
      `the folder of the socket in hsm.keeper.socket: chmod go-w ${directory}`,
    )
  })

  it('closes connections that do not speak its protocol', async () => {
    const { hsm, sockets, pids } = (hosts = await startHosts())
    for (const garbage of [
      'GET / HTTP/1.1\r\n\r\n',
      '\0\0\0\0',
      '\0\0\0\x09\0\0\0\x01\x01\0\0\0\xff',
      '\xff'.repeat(100),
    ]) {
      const stranger = connect(sockets[0] ?? '')
      stranger.write(Buffer.from(garbage, 'latin1'))
      stranger.on('error', () => undefined)
      await once(stranger, 'close')
    }
    const unknown = connect(sockets[0] ?? '')
    unknown.write(Buffer.from([0, 0, 0, 5, 0, 0, 0, 1, 200]))
    const answer = await new Promise<Buffer>((resolve) => unknown.once('data', resolve))
    expect(answer.toString('latin1')).toContain('hsm.unsupported')
    unknown.destroy()
    const silent = connect(sockets[0] ?? '')
    silent.write(Buffer.from([0, 0]))
    await expect(hsm.random(8)).resolves.toHaveLength(8)
    silent.destroy()
    expect(pids()).toHaveLength(1)
  })

  it('ends a host that cannot serve it', async () => {
    const { configFile, sockets } = (hosts = await startHosts())
    const command = [hostEntry, '--config', configFile, '--socket', sockets[0] ?? '']
    child = spawn(process.execPath, command, { stdio: ['ignore', 'ignore', 'pipe'] })
    let printed = ''
    child.stderr?.on('data', (chunk: Buffer) => (printed += chunk.toString()))
    expect((await once(child, 'close'))[0]).toBe(1)
    expect(printed).toContain('Another token host serves')
  })

  it('is not tried every second by systemd where the program cannot begin', async () => {
    const command = [hostEntry, '--config', join(directory, 'none.json'), '--systemd']
    const failing = (child = spawn(process.execPath, command, { stdio: ['ignore', 'ignore', 'pipe'] }))
    expect(String(await once(failing.stderr, 'data'))).toContain('none.json')
    await delay(1_000)
    failing.kill()
    expect(await once(failing, 'exit')).toEqual([null, 'SIGTERM'])
  })

  it('may come from systemd as descriptor 3', async () => {
    const { supervisor, configFile } = (hosts = await startHosts())
    await supervisor.close()
    const path = join(directory, 'passed.sock')
    const command = [process.execPath, hostEntry, '--config', configFile, '--systemd']
    child = spawn('perl', ['-e', passListener, path, ...command], { stdio: ['ignore', 'ignore', 'inherit'] })
    const hsm = createHsmClient({ sockets: [path], deadlineMs: 10_000, queue: 10 })
    await eventually(async () => (await hsm.status())[0]?.state === 'ready')
    await hsm.close()
    child.kill()
    expect((await once(child, 'exit'))[0]).toBe(0)
  })
})

/** Passes a listening socket as descriptor 3 of the program, as systemd does. */
const passListener = `
  use Socket; use POSIX ();
  $^F = 10;
  socket(my $listener, AF_UNIX, SOCK_STREAM, 0) or die $!;
  bind($listener, pack_sockaddr_un(shift)) or die $!;
  listen($listener, 16) or die $!;
  POSIX::dup2(fileno($listener), 3) or die $!;
  exec @ARGV;
`

describe('the client', () => {
  it('says so when there is no host, and finds it when there is', async () => {
    const path = join(directory, 'none.sock')
    const hsm = createHsmClient({ sockets: [path], deadlineMs: 500, queue: 10 })
    await expect(hsm.random(1)).rejects.toMatchObject({ code: 'hsm.unavailable' })
    expect(await hsm.status()).toEqual([{ socket: path, state: 'down', reason: expect.stringContaining('ENOENT') }])
    await hsm.close()
  })

  it('names the keeper where it is the keeper that does not answer', async () => {
    const path = join(directory, 'none.sock')
    const hsm = createHsmClient({ sockets: [], keeper: path, deadlineMs: 10_000, queue: 10 })
    const { state, reason } = await hsm.keeperStatus()
    expect({ state, reason }).toEqual({ state: 'down', reason: expect.stringContaining(`No keeper answers (${path}`) })
    await hsm.close()
  })

  it('refuses more than its queue, and everything once closed', async () => {
    const server = givenServer()
    const path = join(directory, 'mute.sock')
    await listenOn(server, path, ofHost)
    const hsm = createHsmClient({ sockets: [path], deadlineMs: 60_000, queue: 3 })
    const waiting = Array.from({ length: 3 }, () => hsm.random(1))
    const outcomes = Promise.allSettled(waiting)
    await expect(hsm.random(1)).rejects.toMatchObject({
      code: 'hsm.unavailable',
      detail: expect.stringContaining('hsm.queue'),
    })
    await hsm.close()
    for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { code: 'hsm.unavailable' } })
  })

  it('gives a mute host up after the deadline and prefers another from then on', async () => {
    const mute = givenServer()
    const path = join(directory, 'mute.sock')
    await listenOn(mute, path, ofHost)
    const { sockets } = (hosts = await startHosts())
    const hsm = createHsmClient({ sockets: [path, ...sockets], deadlineMs: 3_000, queue: 100 })
    const first = await Promise.allSettled(Array.from({ length: 8 }, () => hsm.random(1)))
    expect(first.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0)
    await Promise.all(Array.from({ length: 50 }, () => hsm.random(1)))
    await hsm.close()
  })

  it('carries large and small payloads side by side', async () => {
    const { hsm, givenKey } = (hosts = await startHosts({ count: 2 }))
    const key = await givenKey('aes256-gcm')
    const large = Buffer.alloc(8 << 20, 7)
    const texts = await Promise.all(
      Array.from({ length: 60 }, (_, index) => hsm.encrypt(key, index % 10 === 0 ? large : Buffer.from(String(index)))),
    )
    for (const [index, text] of texts.entries()) {
      const expected = index % 10 === 0 ? large : Buffer.from(String(index))
      expect((await hsm.decrypt(key, text)).equals(expected)).toBe(true)
    }
    await expect(hsm.encrypt(key, Buffer.alloc(81 << 20))).rejects.toMatchObject({ code: 'request.too_large' })
  })
})
