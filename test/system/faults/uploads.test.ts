import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:tls'
import { afterAll, expect, it } from 'vitest'
import { formWith, objectsIn, upload } from '../../support/object-kit.ts'
import { TestAppliance } from '../../support/appliance.ts'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { expectUnharmed } from '../../support/health.ts'
import { countOf, processesOf } from '../../support/fault-kit.ts'

const MiB = 1024 * 1024
/** A complete measurement takes 20 files of 64 MiB. */
const files = Number(process.env['UPLOADS'] ?? 8)
const fileBytes = Number(process.env['UPLOAD_MIB'] ?? 32) * MiB

const appliance = applianceForTests(() => TestAppliance.own({ http: { workers: 2, requestTimeoutMs: 300_000 } }))
const vault = vaultForTests(appliance)

afterAll(() => expectUnharmed(appliance))

/** A line of /proc/PID/status, in bytes (proc(5)). */
function memoryOf(pid: number, line: 'VmRSS' | 'VmHWM'): number {
  const kibibytes = new RegExp(`^${line}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kibibytes) * 1024
}

it('many large uploads at once leave the memory of the workers flat', { timeout: 600_000 }, async () => {
  const content = Buffer.alloc(fileBytes, 'large')
  await upload(vault.admin, { groupid: vault.id }, content.subarray(0, 4 * MiB))
  const { workers } = processesOf(appliance)
  const before = workers.map((pid) => memoryOf(pid, 'VmRSS'))
  // Resets the peak to the present resident memory.
  for (const pid of workers) writeFileSync(`/proc/${pid}/clear_refs`, '5')
  const form = formWith({ groupid: vault.id }, content)
  const answers = await Promise.all(Array.from({ length: files }, () => vault.admin.call('POST', '/object', form)))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  const growth = workers.map((pid, at) => memoryOf(pid, 'VmHWM') - (before[at] ?? 0))
  const total = growth.reduce((sum, bytes) => sum + bytes, 0)
  if (process.env['UPLOADS'])
    console.log(`workers grew by ${growth.map((bytes) => Math.round(bytes / MiB)).join(' + ')} MiB`)
  expect(total).toBeGreaterThan(0)
  expect(total).toBeLessThan(200 * MiB)
})

it(
  'a daemon that dies amid uploads leaves no object that is not whole, and what is left is swept',
  { timeout: 600_000 },
  async () => {
    const content = Buffer.alloc(8 * MiB, 'cut')
    const { raw, headers } = formWith({ groupid: vault.id }, content)
    const { hostname, port, pathname } = new URL(`${appliance.url}/object`)
    const before = objectsIn(await vault.admin.must('GET', `/vault/${vault.id}`), 'OBJECTS').length
    const chunks = await countOf(appliance, 'file_chunks')
    const begun = Array.from({ length: 4 }, (_, at) => {
      const socket = connect({ host: hostname, port: Number(port), ca: appliance.ca })
      socket.on('error', () => undefined)
      socket.write(
        `POST ${pathname} HTTP/1.1\r\nHost: x\r\nContent-Length: ${raw.length}\r\nX-Http-Token: ${vault.admin.token}\r\n` +
          `Content-Type: ${headers['Content-Type']}\r\n\r\n`,
      )
      socket.write(raw.subarray(0, raw.length - 1 - at))
      return socket
    })
    await expect.poll(() => countOf(appliance, 'file_chunks')).toBeGreaterThan(chunks + 40)
    await appliance.restart('SIGKILL')
    for (const socket of begun) socket.destroy()
    expect(objectsIn(await vault.admin.must('GET', `/vault/${vault.id}`), 'OBJECTS')).toHaveLength(before)
    expect(await countOf(appliance, 'file_uploads WHERE object_id IS NULL')).toBe(4)
    await appliance.sql('UPDATE file_uploads SET touched_at = touched_at - 3600001')
    expect(await appliance.services.objectDestruction.sweepUploads()).toBe(4)
    expect(await countOf(appliance, 'file_chunks')).toBe(chunks)
  },
)
