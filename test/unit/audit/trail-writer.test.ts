import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { parseLine, sha256 } from '../../../src/audit/line.ts'
import { parseSeal } from '../../../src/audit/seal.ts'
import { createRetryingTrail } from '../../../src/audit/trail-writer.ts'
import { verifyTrail } from '../../../src/audit/trail-verification.ts'
import { Fault } from '../../../src/fault.ts'
import { ownIdentity } from '../../../src/process-identity.ts'
import { eventOf } from '../../support/event-kit.ts'
import { appendAll, givenBench, givenDirectory, givenSigner, manyEvents } from '../../support/trail-kit.ts'

const fdInfo = (fd: string): string => readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')

function linkOf(fd: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return undefined
  }
}

const first = 'worker-1.000001.jsonl'
const reported = (): void => undefined

describe('a record', () => {
  test('is one line of JSON with the named fields, and binds the line before it', async () => {
    const { open, lines, directory } = givenBench()
    const trail = await open()
    await trail.append(eventOf())
    await trail.append(eventOf({ outcome: 'key.not_found', target: 'user 17' }))
    const [one, two] = lines(first)
    expect(JSON.parse(String(one))).toEqual({
      v: 1,
      chain: 'worker-1',
      seq: 1,
      prev: sha256('strongroom audit chain worker-1'),
      type: 'event',
      ...eventOf(),
      ms: 1.235,
    })
    expect(JSON.parse(String(two))).toMatchObject({ seq: 2, prev: sha256(`${one}\n`), outcome: 'key.not_found' })
    expect(statSync(join(directory, first)).mode & 0o777).toBe(0o600)
  })

  test('is plain ASCII below 4 KiB, whatever a caller sends', async () => {
    const { open, lines } = givenBench()
    const trail = await open()
    const nasty = ['\u{1F512}'.repeat(5000), '\\"\n\u0000\u007f'.repeat(5000), '\ud800'.repeat(5000), '…'.repeat(200)]
    for (const text of nasty) {
      const texts = { operation: text, requestId: text, outcome: text, username: text, address: text }
      await trail.append(eventOf({ ...texts, vault: text, key: text, target: text }))
    }
    expect(lines(first)).toHaveLength(nasty.length)
    for (const [index, line] of lines(first).entries()) {
      expect(line).toMatch(/^[ -~]{1,4094}$/)
      const key: string = JSON.parse(line).key
      const [, kept, left] = /^(.*)… \((\d+) more\)$/s.exec(key) ?? []
      expect(nasty[index]?.startsWith(String(kept))).toBe(true)
      expect(String(kept).length + Number(left)).toBe(nasty[index]?.length)
    }
  })

  test('longer than a reader takes for one is refused, and harms no other', async () => {
    const bench = givenBench()
    const trail = await bench.open()
    await trail.append(eventOf({ requestId: 'before' }))
    const rows = (length: number) => eventOf({ rows: { 'key 3/k': 'x'.repeat(length) } })
    await expect(trail.append(rows(256 * 1024))).rejects.toMatchObject({ code: 'audit.unavailable' })
    await trail.append(rows(256 * 1024 - 1_024))
    await trail.close()
    await (await bench.open()).append(eventOf({ requestId: 'after' }))
    expect(await bench.findings('with registry')).toEqual([])
    expect(bench.lines(first).some((line) => line.includes('audit.torn'))).toBe(false)
  })

  test('keeps a text that fits as it is', async () => {
    const { open, lines } = givenBench()
    const trail = await open()
    const username = 'Zoë "\u{1F600}" <z@example.org>'
    await trail.append(eventOf({ username, key: 'k'.repeat(768) }))
    expect(JSON.parse(String(lines(first)[0]))).toMatchObject({ username, key: 'k'.repeat(768) })
  })
})

describe('a chain', () => {
  test('takes parallel records in the order of the calls, and goes on after a restart', async () => {
    const bench = givenBench()
    for (let run = 0; run < 3; run += 1) {
      const trail = await bench.open()
      await appendAll(trail, manyEvents(100))
      await trail.close()
    }
    const lines = bench.lines(first).map((text) => parseLine(text))
    expect(lines.map((line) => line?.seq)).toEqual(Array.from({ length: 303 }, (_, index) => index + 1))
    expect(
      lines.filter((line) => line?.type === 'event').map((line) => /request-\d+/.exec(line?.body ?? '')?.[0]),
    ).toEqual([0, 1, 2].flatMap(() => manyEvents(100).map(({ requestId }) => requestId)))
    expect(await bench.findings('with registry')).toEqual([])
  })

  test('begins a new file when one is full, and the files make one chain', async () => {
    const bench = givenBench()
    const trail = await bench.open({ segmentBytes: 2_000 })
    for (const event of manyEvents(30)) await trail.append(event)
    await trail.close()
    expect(bench.files().length).toBeGreaterThan(4)
    expect(await bench.findings('with registry')).toEqual([])
    const again = await bench.open({ segmentBytes: 2_000 })
    await again.append(eventOf())
    await again.close()
    const report = await verifyTrail({ directory: bench.directory, publicKey: bench.signer.publicKey })
    expect(report).toMatchObject({ sound: true, chains: [{ chain: 'worker-1', records: 31, seals: 2, unsealed: 0 }] })
  })

  test('has one writer', async () => {
    const bench = givenBench()
    const trail = await bench.open()
    await expect(bench.open()).rejects.toMatchObject({
      code: 'audit.unavailable',
      detail: expect.stringContaining('Another process writes the audit chain worker-1'),
    })
    const waiting = bench.open({ lockWaitMs: 10_000 })
    await trail.close()
    await (await waiting).append(eventOf())
    expect(bench.lines(first)).toHaveLength(1)
  })

  test('is taken over from a process of an earlier release that has died, by one of many', async () => {
    const bench = givenBench()
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    writeFileSync(join(bench.directory, 'worker-1.lock'), `${boot}.${process.pid}.1.2049-77`)
    const tries = await Promise.allSettled(Array.from({ length: 20 }, () => bench.open()))
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('is left to a process of an earlier release that writes it', async () => {
    const bench = givenBench()
    writeFileSync(
      join(bench.directory, 'worker-1.lock'),
      `${await ownIdentity()}.2049-77`.replace(/-in-[^.]+\.\d+/, ''),
    )
    await expect(bench.open()).rejects.toMatchObject({ code: 'audit.unavailable' })
  })

  test('in a folder that is removed while it is waited for is refused at once, by the name of its setting', async () => {
    const bench = givenBench()
    await bench.open()
    const waiting = bench.open({ lockWaitMs: 600_000 })
    await sleep(100)
    rmSync(bench.directory, { recursive: true })
    await expect(waiting).rejects.toMatchObject({ detail: expect.stringContaining('audit.directory cannot be made') })
  })

  test('in a copy of the folder is free, although its lock was copied, too', async () => {
    const bench = givenBench()
    await bench.open()
    const directory = givenDirectory()
    // By another process: with a descriptor of the file that this one closes, its lock would end.
    execFileSync('cp', ['-a', `${bench.directory}/.`, directory])
    expect(existsSync(join(directory, 'worker-1.lock'))).toBe(true)
    await (await bench.open({ directory })).append(eventOf())
    // The one that it was copied from is held as before.
    await expect(bench.open()).rejects.toMatchObject({ code: 'audit.unavailable' })
  })

  test.each(['/proc/nope', '/proc/nope/deeper'])(
    'in %s, which no one can make, is refused by the name of its setting',
    async (directory) => {
      await expect(givenBench().open({ directory })).rejects.toMatchObject({
        code: 'audit.unavailable',
        detail: expect.stringContaining('audit.directory cannot be made'),
      })
    },
  )

  test('makes its folder, and those above it, for the owner alone', async () => {
    const above = join(givenDirectory(), 'above')
    await givenBench().open({ directory: join(above, 'audit') })
    for (const folder of [above, join(above, 'audit')]) expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  test('is open so that every write is on the disk when it returns, and only ever at the end', async () => {
    const bench = givenBench()
    await bench.open()
    const path = join(bench.directory, first)
    const descriptors = readdirSync('/proc/self/fd').filter((fd) => linkOf(fd) === path)
    const flags = descriptors.map((fd) => Number.parseInt(/flags:\s*(\d+)/.exec(fdInfo(fd))?.[1] ?? '', 8))
    expect(flags.map((bits) => bits & (constants.O_DSYNC | constants.O_APPEND))).toEqual([
      constants.O_DSYNC | constants.O_APPEND,
    ])
  })

  test('refuses records after close', async () => {
    const { open } = givenBench()
    const trail = await open()
    await trail.close()
    await trail.close()
    await expect(trail.append(eventOf())).rejects.toMatchObject({ code: 'audit.unavailable' })
  })
})

describe('what a crash leaves', () => {
  test.each([
    ['half a line', '{"v":1,"chain":"worker-1","seq":4,"pr'],
    ['a whole line without its newline', undefined],
    ['zeros', '\0'.repeat(5000)],
    ['lines that are none', 'x\ny\n'],
  ])('%s is kept beside the chain, and noted in it', async (_, rest) => {
    const bench = givenBench()
    const trail = await bench.open()
    await appendAll(trail, manyEvents(3))
    await trail.close()
    const torn = rest ?? String(bench.lines(first)[0])
    appendFileSync(join(bench.directory, first), torn)
    const again = await bench.open()
    await again.append(eventOf())
    await again.close()
    expect(readFileSync(join(bench.directory, `${first}.torn`), 'latin1')).toBe(torn)
    const operations = bench.lines(first).map((line): unknown => JSON.parse(line).operation)
    expect(operations.slice(4)).toEqual(['audit.torn', 'transparent.encrypt', undefined])
    expect(JSON.parse(String(bench.lines(first)[4]))).toMatchObject({
      subject: `${Buffer.byteLength(torn)} bytes of an unfinished write moved to ${first}.torn`,
    })
    expect(await bench.findings('with registry')).toEqual([])
  })

  test('an empty next file does not end the chain', async () => {
    const bench = givenBench()
    const trail = await bench.open()
    await appendAll(trail, manyEvents(3))
    await trail.close()
    writeFileSync(join(bench.directory, 'worker-1.000002.jsonl'), '')
    const again = await bench.open()
    await again.append(eventOf())
    await again.close()
    expect(bench.lines('worker-1.000002.jsonl')).toHaveLength(2)
    expect(await bench.findings('with registry')).toEqual([])
  })
})

describe('a seal', () => {
  test('comes after so many records, names the other chains, and is registered', async () => {
    const bench = givenBench()
    const other = await bench.open({ chain: 'console' })
    await other.append(eventOf())
    await other.close()
    const trail = await bench.open({ sealRecords: 10 })
    await appendAll(trail, manyEvents(10))
    await expect.poll(() => bench.heads.kept.get('worker-1')?.seq).toBe(10)
    const line = parseLine(String(bench.lines(first)[10]))
    const seal = parseSeal(line?.body ?? '')
    const consoleHead = bench.heads.kept.get('console')
    expect(seal?.statement).toMatchObject({
      chain: 'worker-1',
      covers: { seq: 10, hash: sha256(`${bench.lines(first)[9]}\n`) },
      heads: { console: { seq: 1, hash: consoleHead?.hash } },
    })
  })

  test('comes after so much time', async () => {
    const bench = givenBench()
    const trail = await bench.open({ sealIntervalMs: 20 })
    await trail.append(eventOf())
    await expect.poll(() => bench.heads.kept.get('worker-1')?.seq).toBe(1)
  })

  test('covers what an earlier process left unsealed', async () => {
    const bench = givenBench()
    bench.signer.broken = new Error('the token is away')
    const trail = await bench.open()
    await appendAll(trail, manyEvents(5))
    await trail.close()
    bench.signer.broken = undefined
    await (await bench.open()).close()
    expect(bench.heads.kept.get('worker-1')?.seq).toBe(5)
  })

  test('that the token fails to make stops no record, is told once, and is made when the token is back', async () => {
    const bench = givenBench()
    const told: string[] = []
    const tell = (level: string) => (_fields: object, message: string) => void told.push(`${level}: ${message}`)
    const log = { info: tell('info'), warn: tell('warn'), error: tell('error') }
    const trail = await bench.open({ sealIntervalMs: 10, sealRecords: 2, log })
    bench.signer.broken = new Error('the token is away')
    for (const event of manyEvents(20)) await trail.append(event)
    await expect.poll(() => told).toEqual(['warn: the audit chain cannot be sealed; records go on, unsealed'])
    expect(bench.lines(first)).toHaveLength(20)
    bench.signer.broken = undefined
    await expect.poll(() => bench.heads.kept.get('worker-1')?.seq).toBe(20)
    expect(told).toHaveLength(2)
    await trail.close()
    expect(await bench.findings('with registry')).toEqual([])
  })

  test('does not name a head that somebody wrote into the registry', async () => {
    const bench = givenBench()
    const forger = givenBench()
    await (
      await forger.open({ chain: 'worker-2' }).then(async (trail) => (await trail.append(eventOf()), trail))
    ).close()
    const forged = forger.heads.kept.get('worker-2')
    if (forged !== undefined) bench.heads.kept.set('worker-2', forged)
    const trail = await bench.open()
    await trail.append(eventOf())
    await trail.close()
    expect(JSON.parse(String(bench.lines(first)[1])).seal.heads).toEqual({})
    expect(await bench.findings('with registry')).toEqual([['worker-2', 'bad signature', 'audit_heads', 0]])
  })
})

describe('opening', () => {
  test('is waited for by calls, also where it takes seconds', async () => {
    const bench = givenBench()
    const trail = createRetryingTrail(async () => {
      await sleep(2_500)
      return bench.open()
    }, reported)
    await trail.append(eventOf({ requestId: 'early' }))
    await trail.close()
    expect(JSON.parse(String(bench.lines(first)[0]))).toMatchObject({ requestId: 'early' })
  })

  test('that fails is told to the calls that wait, and tried again', async () => {
    const bench = givenBench()
    const failures = [new Fault('audit.unavailable', 'The disk is full.')]
    const trail = createRetryingTrail(async () => {
      await sleep(50)
      const failure = failures.pop()
      if (failure !== undefined) throw failure
      return bench.open()
    }, reported)
    await expect(trail.append(eventOf())).rejects.toMatchObject({ detail: 'The disk is full.' })
    await vi.waitFor(() => trail.append(eventOf({ requestId: 'later' })), 60_000)
    await trail.close()
    expect(bench.lines(first).map((line) => JSON.parse(line).requestId)).toContain('later')
  })

  test('leaves the public key beside the trail, and refuses another token', async () => {
    const bench = givenBench()
    await (await bench.open()).close()
    expect(readFileSync(join(bench.directory, 'audit-public.pem'), 'utf8')).toMatch(/^-----BEGIN PUBLIC KEY-----\n/)
    await expect(bench.open({ hsm: givenSigner() })).rejects.toMatchObject({
      code: 'audit.unavailable',
      detail: expect.stringContaining('audit.directory'),
    })
    await (await bench.open()).close()
  })

  test('says which file to remove where the public key beside the trail is damaged', async () => {
    const bench = givenBench()
    writeFileSync(join(bench.directory, 'audit-public.pem'), '')
    await expect(bench.open()).rejects.toMatchObject({
      code: 'audit.unavailable',
      detail: expect.stringContaining('audit-public.pem in audit.directory is damaged: remove it'),
    })
  })

  test('makes the folder for its owner alone', async () => {
    const bench = givenBench()
    const directory = join(bench.directory, 'var', 'audit')
    await (await bench.open({ directory })).close()
    expect(statSync(directory).mode & 0o777).toBe(0o700)
  })

  test('notes that sealed records are missing, and never gives their numbers again', async () => {
    const bench = givenBench()
    const trail = await bench.open()
    await appendAll(trail, manyEvents(9))
    await trail.close()
    bench.rewrite(first, (lines) => lines.slice(0, 4))
    await (await bench.open()).close()
    expect(JSON.parse(String(bench.lines(first)[4]))).toMatchObject({
      seq: 10,
      operation: 'audit.truncated',
      subject: expect.stringMatching(/^worker-1 ended with record 4, but record \d+ was sealed$/),
    })
    rmSync(join(bench.directory, first))
    await (await bench.open()).close()
    expect(JSON.parse(String(bench.lines(first)[0]))).toMatchObject({ seq: 11, operation: 'audit.truncated' })
    expect(await bench.findings()).toEqual([
      ['worker-1', 'removed', first, 1],
      ['worker-1', 'truncated', first, 1],
    ])
  })

  test('notes that a sealed record was replaced', async () => {
    const bench = givenBench()
    const trail = await bench.open()
    await appendAll(trail, manyEvents(3))
    await trail.close()
    bench.rewrite(first, (lines) => lines.map((line) => line.replace('"request-2"', '"request-x"')))
    await (await bench.open()).close()
    expect(JSON.parse(String(bench.lines(first)[4]))).toMatchObject({ seq: 5, operation: 'audit.truncated' })
  })

  test('says what is wrong with a folder that cannot be used', async () => {
    const bench = givenBench()
    const file = join(givenDirectory(), 'file')
    writeFileSync(file, '')
    const fault = { code: 'audit.unavailable', detail: expect.stringContaining('audit.directory') }
    await expect(bench.open({ directory: join(file, 'audit') })).rejects.toMatchObject(fault)
  })
})
