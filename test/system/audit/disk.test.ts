import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { AuditEvent, AuditTrail } from '../../../src/audit/event.ts'
import { eventOf } from '../../support/event-kit.ts'
import { givenBench, givenDirectory, manyEvents } from '../../support/trail-kit.ts'

const file = 'worker-1.000001.jsonl'
const mayMount = process.getuid?.() === 0 && canMount()

function canMount(): boolean {
  const place = execFileSync('mktemp', ['-d']).toString().trim()
  const mounted = spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', place]).status === 0
  if (mounted) execFileSync('umount', [place])
  rmSync(place, { recursive: true })
  return mounted
}

/** A file system of 128 KiB. */
function givenSmallDisk(): string {
  const place = givenDirectory()
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=128k', 'tmpfs', place])
  onTestFinished(() => void execFileSync('umount', ['-l', place]))
  return place
}

async function attempt(trail: AuditTrail, events: readonly AuditEvent[]) {
  const results = await Promise.allSettled(events.map((event) => trail.append(event)))
  return events.map(({ requestId }, index) => ({ requestId, result: results[index] }))
}

const requestsIn = (directory: string): unknown[] => {
  const text = execFileSync('cat', [join(directory, file)]).toString('latin1')
  expect(text.endsWith('\n') || text === '').toBe(true)
  return [...text.matchAll(/"requestId":"(request-[^"]+)"/g)].map(([, id]) => id)
}

describe.skipIf(!mayMount)('on a small disk (needs the right to mount)', () => {
  test('records are refused while it is full, and taken again when there is room', async () => {
    const bench = givenBench()
    const directory = givenSmallDisk()
    const trail = await bench.open({ directory })
    const filler = join(directory, 'filler')
    writeFileSync(filler, Buffer.alloc(100 * 1024))

    const tries = []
    for (let round = 0; round < 20; round += 1) {
      tries.push(
        ...(await attempt(
          trail,
          manyEvents(5).map((event) => ({ ...event, requestId: `request-${round}-${event.requestId}` })),
        )),
      )
    }
    const taken = tries.filter(({ result }) => result?.status === 'fulfilled').map(({ requestId }) => requestId)
    const refused = tries.flatMap(({ result }) => (result?.status === 'rejected' ? [result.reason] : []))
    expect(taken.length).toBeGreaterThan(0)
    expect(refused.length).toBeGreaterThan(0)
    for (const reason of refused) {
      expect(reason).toMatchObject({
        code: 'audit.unavailable',
        detail: expect.stringContaining('disk of audit.directory is full'),
      })
    }
    expect(requestsIn(directory)).toEqual(taken)

    rmSync(filler)
    await trail.append(eventOf({ requestId: 'request-after' }))
    await trail.close()
    expect(requestsIn(directory)).toEqual([...taken, 'request-after'])
    expect(await bench.findings('with registry', directory)).toEqual([])
  })

  test('records are refused while it is read-only, and taken again after', async () => {
    const bench = givenBench()
    const directory = givenSmallDisk()
    await (await bench.open({ directory })).close()
    execFileSync('mount', ['-o', 'remount,ro', directory])
    const fault = { code: 'audit.unavailable', detail: expect.stringContaining('read-only') }
    await expect(bench.open({ directory })).rejects.toMatchObject(fault)
    execFileSync('mount', ['-o', 'remount,rw', directory])
    const trail = await bench.open({ directory })
    await trail.append(eventOf())
    await trail.close()
    expect(await bench.findings('with registry', directory)).toEqual([])
  })
})

test('records are refused when the chain is removed under a running service, until it is started again', async () => {
  const bench = givenBench()
  const trail = await bench.open()
  await trail.append(eventOf())
  rmSync(join(bench.directory, file))
  const fault = { code: 'audit.unavailable', detail: expect.stringContaining('removed') }
  for (let round = 0; round < 3; round += 1) await expect(trail.append(eventOf())).rejects.toMatchObject(fault)
  expect(existsSync(join(bench.directory, file))).toBe(false)
  await trail.close()
  const again = await bench.open()
  await again.append(eventOf())
  // The keeper had signed the end that was removed with the file.
  expect(bench.lines(file)).toEqual([expect.stringContaining('"audit.truncated"'), expect.stringContaining('"seq":3')])
})

test.each([0, 100])(
  'records are refused when the file is cut to %i bytes under a running service, until it is started again',
  async (left) => {
    const bench = givenBench()
    const trail = await bench.open()
    await trail.append(eventOf())
    // As logrotate does it with copytruncate.
    truncateSync(join(bench.directory, file), left)
    const fault = { code: 'audit.unavailable', detail: expect.stringContaining('removed') }
    for (let round = 0; round < 3; round += 1) await expect(trail.append(eventOf())).rejects.toMatchObject(fault)
    expect(statSync(join(bench.directory, file)).size).toBe(left)
    await trail.close()
    await (await bench.open()).close()
    expect(bench.lines(file).join('')).toContain('"audit.truncated"')
  },
)

/** Puts a copy of the folder in its place, as a larger disk that is mounted there. */
function replaceBy(directory: string, copy: string): void {
  renameSync(directory, `${copy}.before`)
  renameSync(copy, directory)
}

test('records go on in a copy of the folder that takes its place under a running service', async () => {
  const [bench, copy] = [givenBench(), givenDirectory()]
  const trail = await bench.open()
  await trail.append(eventOf())
  cpSync(bench.directory, copy, { recursive: true })
  replaceBy(bench.directory, copy)
  await trail.append(eventOf())
  expect(bench.lines(file)).toHaveLength(2)
  await trail.close()
  expect(await bench.findings('with registry')).toEqual([])
})

test('records are refused when the copy lacks some of them, until the service is started again', async () => {
  const [bench, copy] = [givenBench(), givenDirectory()]
  const trail = await bench.open()
  await trail.append(eventOf())
  cpSync(bench.directory, copy, { recursive: true })
  await trail.append(eventOf())
  replaceBy(bench.directory, copy)
  const fault = { code: 'audit.unavailable', detail: expect.stringContaining('removed') }
  for (let round = 0; round < 3; round += 1) await expect(trail.append(eventOf())).rejects.toMatchObject(fault)
  expect(bench.lines(file)).toHaveLength(1)
})

test('records are refused, and none is cut off, when a file of the same name has others in their place', async () => {
  const [bench, copy] = [givenBench(), givenDirectory()]
  const trail = await bench.open()
  await trail.append(eventOf())
  const others = `${'other records'.padEnd(10_000, '.')}\n`
  writeFileSync(join(copy, file), others)
  replaceBy(bench.directory, copy)
  await expect(trail.append(eventOf())).rejects.toMatchObject({ code: 'audit.unavailable' })
  expect(readFileSync(join(bench.directory, file), 'latin1')).toBe(others)
})
