import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { TestAppliance } from '../../support/appliance.ts'
import { FullDisk, mayMount } from '../../support/disk.ts'
import { eventually } from '../../support/fault-kit.ts'
import { askMonitor, metricIn, monitored } from '../../support/monitor.ts'

/** Journal lines about this warning, as `name level state`. */
const linesOf = ({ journal }: TestAppliance, warning: string): string[] =>
  journal
    .split('\n')
    .filter((line) => line.includes(`"warning":"${warning}"`))
    .map((line) => JSON.parse(line) as Record<string, string>)
    .map(({ level, state = 'over', name }) => `${name} ${level} ${state}`)

describe('the daemon warns by itself', () => {
  it.skipIf(!mayMount)('of a disk below the threshold, once per change, and says when it is over', async () => {
    const disk = new FullDisk(24 * 1024)
    onTestFinished(() => disk.remove())
    const { appliance, port } = await monitored({
      audit: { directory: join(disk.path, 'audit') },
      warnings: { everyMs: 200, freeMiB: 10 },
    })
    onTestFinished(() => appliance.close())
    expect(linesOf(appliance, 'disk.audit')).toEqual([])
    disk.fill(5 * 1024)
    await eventually(() => linesOf(appliance, 'disk.audit').length === 1)
    expect(appliance.journal).toMatch(/\d MiB free for the audit files\. Free some space/)
    expect(metricIn((await askMonitor(port, '/metrics')).text, 'strongroom_warning', { warning: 'disk.audit' })).toBe(1)
    disk.free()
    await eventually(() => linesOf(appliance, 'disk.audit').length === 2)
    disk.fill(512)
    await eventually(() => linesOf(appliance, 'disk.audit').length === 3)
    disk.free()
    await eventually(() => linesOf(appliance, 'disk.audit').length === 4)
    // Only the primary reports it: workers and hosts log nothing about it.
    expect(linesOf(appliance, 'disk.audit')).toEqual([
      'strongroomd warn warning',
      'strongroomd info over',
      'strongroomd warn problem',
      'strongroomd info over',
    ])
  })

  it('of certificates near their end, at the start, with what to do', async () => {
    const { appliance } = await monitored({ warnings: { certificateDays: 36_500 } })
    onTestFinished(() => appliance.close())
    await eventually(() => linesOf(appliance, 'certificate.server').length > 0)
    // The journal explains what SoftHSM2 writes to syslog at each start.
    expect(appliance.journal).toMatch(/token ready[^]*EVP_DecryptFinal failed[^]*is not damage/)
    expect(appliance.journal).toMatch(/the server certificate expires on .* days\. Put a new certificate where/)
  })
})
