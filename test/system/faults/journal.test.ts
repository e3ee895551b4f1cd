import { execFileSync, spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync, readFileSync, readSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freePort, TestAppliance } from '../../support/appliance.ts'
import type { TestClient } from '../../support/client.ts'
import { FullDisk, mayMount } from '../../support/disk.ts'
import { eventually } from '../../support/fault-kit.ts'
import { createObject, readObject } from '../../support/object-kit.ts'
import { childrenOf } from '../../support/processes.ts'
import { makeVault } from '../../support/vault.ts'

/**
 * Each read of an object with an alarm writes a line to the journal, and these are more lines than a process buffers.
 */
const reads = 1_500

/** Target of the daemon's standard output and standard error. It accepts nothing until a test releases it. */
interface Destination {
  readonly stdio: SpawnOptions['stdio']
  /** Makes the destination accept lines again. Returns a function that gives all lines. */
  readonly release: (daemon: ChildProcess) => () => string
}

function fullDisk(): Destination {
  const disk = new FullDisk(256)
  onTestFinished(() => disk.remove())
  const file = join(disk.path, 'journal')
  const journal = openSync(file, 'a')
  disk.fill(0)
  return {
    stdio: ['ignore', journal, journal],
    release() {
      closeSync(journal)
      // Room for the written and the waiting lines.
      execFileSync('mount', ['-o', 'remount,size=16m', disk.path])
      return () => readFileSync(file, 'utf8')
    },
  }
}

function stoppedPipe({ directory }: TestAppliance): Destination {
  const path = join(directory, 'journal.pipe')
  execFileSync('mkfifo', [path])
  const pipe = openSync(path, constants.O_RDWR)
  return {
    stdio: ['ignore', pipe, pipe],
    release() {
      closeSync(pipe)
      const end = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
      onTestFinished(() => closeSync(end))
      let text = ''
      return () => {
        const piece = Buffer.alloc(65_536)
        try {
          for (;;) text += piece.toString('utf8', 0, readSync(end, piece))
        } catch {
          return text
        }
      }
    },
  }
}

/** A socket, like that of journald for services. */
function stoppedSocket(): Destination {
  return {
    stdio: ['ignore', 'pipe', 'ignore'],
    release(daemon) {
      let text = ''
      daemon.stdout?.on('data', (bytes: Buffer) => (text += bytes.toString()))
      return () => text
    },
  }
}

async function startInto({ configFile }: TestAppliance, client: TestClient, { stdio }: Destination) {
  const command = [resolve('dist/bin/strongroomd.js'), '--config', configFile]
  const daemon = spawn(process.execPath, command, { stdio: stdio ?? [] })
  onTestFinished(async () => {
    if (daemon.exitCode !== null) return
    daemon.kill('SIGTERM')
    await once(daemon, 'exit')
  })
  await eventually(() => answers(client))
  return daemon
}

const answers = async (client: TestClient): Promise<boolean> => {
  try {
    return (await client.call('GET', '/vault')).status === 200
  } catch {
    return false
  }
}

async function givenAlarm(appliance: TestAppliance) {
  const { admin, id } = await makeVault(appliance)
  const object = await createObject(admin, id)
  await admin.must('PUT', `/object/${object}/alarm`, { alarm: true })
  return { admin, object }
}

async function callsGoOn(make: (appliance: TestAppliance) => Destination): Promise<readonly string[]> {
  const appliance = await TestAppliance.own()
  onTestFinished(() => appliance.close())
  const { admin, object } = await givenAlarm(appliance)
  await appliance.stop()
  const destination = make(appliance)
  const daemon = await startInto(appliance, admin, destination)
  const read = () => readObject(admin, object, '?decrypt=true')
  for (let done = 0; done < reads; done += 10) await Promise.all(Array.from({ length: 10 }, read))
  // The primary writes lines as well, and so do its children.
  const { pid = 0 } = daemon
  const children = ['strongroom-tokend', 'strongroom-keeper'].flatMap((name) => childrenOf(pid, name))
  expect(children.length).toBeGreaterThan(2)
  for (const child of children) process.kill(child, 'SIGKILL')
  await eventually(() => answers(admin))
  expect([daemon.exitCode, daemon.signalCode]).toEqual([null, null])

  const taken = destination.release(daemon)
  const told = /"dropped":(\d+)/
  await eventually(() => told.test(taken()) && /token host ended/.test(taken()))
  const lines = taken().trim().split('\n')
  const alarms = lines.filter((line) => line.includes('an alarm was raised')).length
  expect(alarms + Number(told.exec(taken())?.[1])).toBeGreaterThanOrEqual(reads)
  expect(alarms).toBeLessThan(reads)
  return lines
}

/** Lines that are not JSON, or contain a member of every line twice. */
const spoilt = (lines: readonly string[]): string[] =>
  lines.filter((line) => {
    if (['level', 'time', 'pid', 'hostname', 'msg'].some((name) => line.split(`"${name}":`).length !== 2)) return true
    try {
      JSON.parse(line)
      return false
    } catch {
      return true
    }
  })

describe('with a journal that takes nothing, calls are answered; what was dropped is counted', () => {
  it.skipIf(!mayMount)('on a full disk (needs the right to mount)', async () => {
    // Each process may have begun a line that did not fit.
    expect(spoilt(await callsGoOn(fullDisk)).length).toBeLessThan(10)
  })

  it('in a pipe whose reader stands still', async () => {
    expect(spoilt(await callsGoOn(stoppedPipe))).toEqual([])
  })

  it('in a socket whose reader stands still, as journald gives one to a service', async () => {
    expect(spoilt(await callsGoOn(stoppedSocket))).toEqual([])
  })
})

it('the line of the start names all listeners', async () => {
  const port = await freePort()
  const appliance = await TestAppliance.own({ validator: { enabled: true, host: '127.0.0.1', port } })
  onTestFinished(() => appliance.close())
  const line = appliance.journal.split('\n').find((text) => text.includes('"msg":"listening"')) ?? '{}'
  expect(JSON.parse(line)).toMatchObject({
    port: appliance.config.http.port,
    listeners: [
      { name: 'http', host: '127.0.0.1', port: appliance.config.http.port },
      { name: 'validator', host: '127.0.0.1', port },
    ],
  })
})
