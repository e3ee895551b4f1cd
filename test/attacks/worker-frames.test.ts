import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { keeperOf } from '../../src/config/keeper-section.ts'
import { keyMakerSocketOf } from '../../src/config/key-maker-socket.ts'
import { policyRecord, sealedPolicy } from '../../src/features/transparent/sealing.ts'
import { composeRecord } from '../../src/hsm/record-layouts.ts'
import { mostConnections } from '../../src/hsm/server/frame-server.ts'
import { referenceFields } from '../../src/hsm/protocol/fields.ts'
import { type KeeperOperation, keeperOperations, type Operation, operations } from '../../src/hsm/protocol/frame.ts'
import { TestAppliance } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import { ask, askKeeper, type FrameAnswer } from '../support/frame-caller.ts'
import { createRandom, frameOf, type GoodFrame, mutated } from '../support/frame-mutation.ts'
import { sealed } from '../support/recombination.ts'
import { objectPermit } from '../support/token-objects.ts'
import { spoilsOf } from '../support/worker-spoils.ts'

/**
 * The attacker runs code in a worker, which sends malformed or unexpected frames to keeper, token host and key maker.
 */
const appliance = applianceForTests(() => TestAppliance.own())
let toHost: GoodFrame[]
let toKeeper: GoodFrame[]

/** Tries again where the kernel refuses: no more than 511 may wait until the process accepts them (EAGAIN). */
async function connected(path: string): Promise<Socket> {
  const socket = connect(path).resume()
  try {
    await once(socket, 'connect')
    return socket.on('error', () => undefined)
  } catch {
    return connected(path)
  }
}

const bytesOf = (fields: readonly (Uint8Array | string)[]) => fields.map((field) => Buffer.from(field))
const hostFrame = (operation: Operation, ...fields: (Uint8Array | string)[]): GoodFrame => ({
  code: operations.indexOf(operation),
  fields: bytesOf(fields),
})
const keeperFrame = (operation: KeeperOperation, ...fields: (Uint8Array | string)[]): GoodFrame => ({
  code: keeperOperations.indexOf(operation),
  fields: bytesOf(fields),
})

beforeAll(async () => {
  const { references, count, backup, job, cipher } = await spoilsOf(appliance, {})
  const [key, pair, mac] = [references.cipher, references.pair, references.mac].map(referenceFields)
  const [data, none] = [Buffer.alloc(48, 7), Buffer.alloc(0)]
  if (key === undefined || pair === undefined || mac === undefined) throw new Error('there are three')
  const policy = sealedPolicy(cipher.key)
  toHost = [
    hostFrame('status'),
    hostFrame('random', '32'),
    hostFrame('verify', count.record, count.seal),
    hostFrame('generate', 'aes256-gcm', '0', '1', 'a purpose'),
    hostFrame('importSecret', 'otp-hmac-sha1', data.subarray(0, 20), 'a purpose'),
    hostFrame('encrypt', ...key, data, none),
    hostFrame('decrypt', ...key, data, none),
    hostFrame('encryptMany', '1', ...key, Buffer.alloc(8), data, none, data, none),
    hostFrame('rewrapMany', '1', ...key, Buffer.alloc(8), data, none, none),
    hostFrame('sign', ...pair, 'sha256', 'pss', '32', data.subarray(0, 32)),
    hostFrame('verifySignature', ...pair, 'sha256', 'pss', '', data.subarray(0, 32), data),
    hostFrame('hmac', ...mac, data),
    hostFrame('importKey', job.record, job.seal, data, none, none),
    hostFrame('exportKey', ...key, data),
    hostFrame('verifyBackup', backup),
    hostFrame('restoreKey', backup, policy.record, policy.seal, '0'),
    hostFrame('makeDataKey', ...key, '32', none, '1'),
    hostFrame('createTokenObject', 'aes256-gcm', ...sealed(objectPermit(appliance.token))),
  ]
  toKeeper = [
    keeperFrame('status'),
    keeperFrame('seal', policyRecord(cipher.key), policy.record, policy.seal, none, none, none, none, none),
    keeperFrame('seal', count.record, none, none, none, none, none, none, none),
    keeperFrame('sealNew', policyRecord(cipher.key), none, none, none, none),
    keeperFrame('permitObject', policy.record, policy.seal, none, none),
    keeperFrame('lastAuditEnd', 'worker-1'),
    keeperFrame('signAuditEnd', 'worker-9', '7', 'ab'.repeat(32), '{"worker-1":{"seq":1,"hash":"x"}}', '', none),
    keeperFrame('raise', '1', count.record, count.seal),
    keeperFrame('grant', 'token', ...[count, policy, count, policy].flatMap(({ record, seal }) => [record, seal]), '1'),
    keeperFrame('endSessions', '1', count.record, count.seal, none, none),
  ]
})

interface Target {
  readonly socket: string
  readonly program: string
  readonly frames: readonly GoodFrame[]
  readonly isWell: () => Promise<FrameAnswer>
}

/** The process that serves this socket. */
function processOf({ program, socket }: Target): {
  readonly pid: number
  readonly residentBytes: number
  readonly peakBytes: number
} {
  const listed = execFileSync('ps', ['-e', '-o', 'pid=,args='], { encoding: 'utf8' }).split('\n')
  const line = listed.find(
    (one) =>
      one.includes(program) &&
      one.includes(appliance.directory) &&
      (program.includes('keeper') || one.includes(`${socket} `)),
  )
  const pid = Number(line?.trim().split(' ')[0])
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const [, resident] = /VmRSS:\s+(\d+) kB/.exec(status) ?? []
  const [, peak] = /VmHWM:\s+(\d+) kB/.exec(status) ?? []
  return { pid, residentBytes: Number(resident) * 1024, peakBytes: Number(peak) * 1024 }
}

/** Sends these bytes, and nothing else on this connection. */
function sendRaw(socket: string, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const connection = connect(socket)
    connection.once('close', () => resolve()).on('error', () => undefined)
    connection.resume().end(bytes)
  })
}

const wellAnswered = (answer: FrameAnswer): boolean => 'fields' in answer || answer.fault === 'hsm.rejected'
const rounds = 16
const framesPerRound = 200
const atOnce = 20

async function attack(target: Target, seed: number): Promise<void> {
  const random = createRandom(seed)
  for (let round = 0; round < rounds; round++) {
    for (let sent = 0; sent < framesPerRound; sent += atOnce) {
      const frames = Array.from({ length: atOnce }, () => {
        const good = target.frames[random(target.frames.length)]
        return good === undefined ? Buffer.alloc(0) : mutated(good, random)
      })
      await Promise.all(frames.map((bytes) => sendRaw(target.socket, bytes)))
    }
    expect(await target.isWell()).toSatisfy(wellAnswered)
  }
}

const generousBytes = 256 * 1024 * 1024

/** Sends a large frame without its last bytes. Resolves when they are received or the connection is closed. */
function half(socket: string): Promise<Socket> {
  return new Promise((resolve) => {
    const frame = Buffer.alloc(78 * 1024 * 1024, 1)
    frame.writeUInt32BE(frame.length)
    const connection = connect(socket)
    connection.on('error', () => undefined).once('close', () => resolve(connection))
    connection.resume().write(frame, () => resolve(connection))
  })
}

/** The number of connections that this process has closed for too many unfinished bytes, by its journal. */
function givenUpBy(target: Target): number {
  const { pid } = processOf(target)
  const counts = appliance.journal
    .split('\n')
    .filter((line) => line.includes('unfinished frames') && line.includes(`"pid":${pid},`))
    .map((line) => Number(/"givenUp":(\d+)/.exec(line)?.[1]))
  return Math.max(0, ...counts)
}

const hostTarget = (): Target => {
  const [socket = ''] = appliance.config.hsm.sockets
  const isWell = () => ask(socket, 'random', [Buffer.from('32')])
  return { socket, program: 'strongroom-tokend', frames: toHost, isWell }
}
const targets: readonly [string, () => Target][] = [
  ['token host', hostTarget],
  [
    'keeper',
    () => {
      const { socket } = keeperOf(appliance.config)
      return { socket, program: 'strongroom-keeper', frames: toKeeper, isWell: () => askKeeper(socket, 'status', []) }
    },
  ],
  [
    'key maker',
    () => {
      const socket = keyMakerSocketOf(appliance.config.hsm) ?? ''
      // No key is made for these, which would take a second and delay others.
      const frames = [hostFrame('status'), hostFrame('generate', 'rsa-9999', '0', '1', 'a purpose'), ...toHost]
      return { socket, program: 'strongroom-tokend', frames, isWell: () => ask(socket, 'status', []) }
    },
  ],
]

describe('a process inside outlives thousands of frames that are none, and answers the next good one', () => {
  it.each(targets)('%s', async (_name, givenTarget) => {
    const target = givenTarget()
    const before = processOf(target)
    const seed = randomInt(2 ** 31)
    try {
      await attack(target, seed)
      const after = processOf(target)
      expect(after.pid).toBe(before.pid)
      expect(after.residentBytes).toBeLessThan(before.residentBytes + generousBytes)
      expect(appliance.journal).toContain('not our protocol')
      // An unexpected error in a handler would be a defect, not a refusal.
      expect(appliance.journal.split('\n').filter((line) => line.includes('operation failed'))).toEqual([])
    } catch (cause) {
      throw new Error(`with the frames of seed ${seed}`, { cause })
    }
  })

  it.each(targets)('%s, held by frames that are never finished', async (_name, givenTarget) => {
    const target = givenTarget()
    const before = processOf(target)
    const sentBefore = givenUpBy(target)
    const connections = await Promise.all(Array.from({ length: 12 }, () => half(target.socket)))
    try {
      expect(await target.isWell()).toSatisfy(wellAnswered)
      const after = processOf(target)
      expect(after.pid).toBe(before.pid)
      // 936 MiB were sent, of which 256 MiB may be kept.
      expect(after.residentBytes).toBeLessThan(before.residentBytes + 2 * generousBytes)
      expect(givenUpBy(target)).toBeGreaterThan(sentBefore)
    } finally {
      for (const connection of connections) connection.destroy()
    }
  })

  it('token host, asked for more than is ever read', async () => {
    const target = hostTarget()
    const before = processOf(target)
    const connection = connect(target.socket).on('error', () => undefined)
    const frames = Buffer.concat(Array.from({ length: 512 }, () => frameOf(hostFrame('random', '65536'))))
    const isClosed = () => {
      if (connection.writableLength === 0) connection.write(frames)
      return connection.destroyed
    }
    await expect.poll(isClosed, { timeout: 60_000 }).toBe(true)
    expect(await target.isWell()).toSatisfy(wellAnswered)
    const after = processOf(target)
    expect(after.pid).toBe(before.pid)
    expect(after.residentBytes).toBeLessThan(before.residentBytes + 2 * generousBytes)
  })

  it.each(targets)('%s, sent frames of more fields than any operation has', async (_name, givenTarget) => {
    const target = givenTarget()
    const before = processOf(target)
    const fields = Buffer.alloc(4 * 15_000_000)
    const head = frameOf({ code: 1, fields: [] })
    head.writeUInt32BE(5 + fields.length)
    await sendRaw(target.socket, Buffer.concat([head, fields]))
    expect(await target.isWell()).toSatisfy(wellAnswered)
    const after = processOf(target)
    expect(after.pid).toBe(before.pid)
    expect(after.residentBytes).toBeLessThan(before.residentBytes + generousBytes)
  })
})

describe('a process inside goes on for others', () => {
  /** As JSON: of arrays, which take thirty times as much memory. */
  const longJson = () => Buffer.from(`[${'[],'.repeat(10_000_000)}[]]`)
  const longGrants = () =>
    composeRecord('scoped membership', {
      vault: Buffer.alloc(16),
      user: Buffer.alloc(16),
      permission: 1,
      recoveries: 0,
      grants: longJson().toString(),
      generation: 1,
    })
  const none = (count: number) => Array.from({ length: count }, () => Buffer.alloc(0))
  const toAKeeper = (operation: KeeperOperation, fields: readonly (Uint8Array | string)[]) =>
    askKeeper(keeperOf(appliance.config).socket, operation, bytesOf(fields))
  const toAHost = (operation: Operation, fields: readonly (Uint8Array | string)[]) =>
    ask(appliance.config.hsm.sockets[0] ?? '', operation, bytesOf(fields))

  it.each([
    ['heads of batches', 'keeper', () => toAKeeper('floorNews', [longJson()])],
    [
      'an earlier end',
      'keeper',
      () => toAKeeper('signAuditEnd', ['worker-9', '7', 'ab'.repeat(32), '{}', longJson(), '']),
    ],
    ['grants, without a session', 'keeper', () => toAKeeper('seal', [longGrants(), ...none(8)])],
    ['records of commits', 'keeper', () => toAKeeper('raise', ['140000', ...none(280_000)])],
    ['those of one request', 'keeper', () => toAKeeper('raise', ['501', ...none(1_002)])],
    // A full batch takes 20 ms. A worker that sent one 550 times had the keeper ended, which did not answer for so long.
    ['news of other keepers', 'keeper', () => toAKeeper('takeFloors', ['11', ...none(22)])],
    // A full list takes 0.05 s. With four lists that were forty times as long, the keeper was silent for 8 s.
    ['sessions that end', 'keeper', () => toAKeeper('endSessions', ['501', ...none(1_004)])],
    ['an answer of the validator', 'tokend', () => toAHost('signValidation', ['', '', '&'.repeat(30_000_000)])],
    ['indexes', 'tokend', () => toAHost('encryptMany', ['0', Buffer.alloc(70_000_000)])],
  ])('where %s are longer than any, which a %s refuses to read', async (_what, kind, send) => {
    const [target] = targets.map(([, given]) => given()).filter(({ program }) => program.includes(kind))
    if (target === undefined) throw new Error('there is one of each kind')
    const before = processOf(target)
    const answer = await send().catch((error: unknown) => error)
    expect(answer).toMatchObject({ fault: 'hsm.rejected' })
    const after = processOf(target)
    expect(after.pid).toBe(before.pid)
    expect(after.peakBytes).toBeLessThan(before.peakBytes + generousBytes)
  })

  it('where one has more connections than all workers have', async () => {
    const { socket } = keeperOf(appliance.config)
    const connections: Socket[] = []
    try {
      while (connections.length < mostConnections + 100) connections.push(await connected(socket))
      const refused = () => connections.filter(({ destroyed }) => destroyed).length
      await expect.poll(refused, { timeout: 30_000 }).toBeGreaterThanOrEqual(100)
      expect(refused()).toBeLessThan(200)
      await expect.poll(() => appliance.journal).toContain('connection refused: as many as are allowed are open')
      await appliance.login()
    } finally {
      for (const one of connections) one.destroy()
    }
  })
})
