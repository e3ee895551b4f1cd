import { afterAll, beforeAll, expect, it } from 'vitest'
import { installAppliance, mainJob, problemsOf, type InstalledAppliance } from '../support/installed-appliance.ts'
import { describeInMachines } from '../support/machine.ts'

const [daemon, keeper] = ['strongroom.service', 'strongroom-keeper.service']
const [first, second] = ['strongroom-token@1.service', 'strongroom-token@2.service']

describeInMachines('processes that stand still under systemd', () => {
  let appliance: InstalledAppliance
  const must = (line: string) => appliance.machine.must(line)
  const pidOf = async (unit: string) => Number(await must(`systemctl show -P MainPID ${unit}`))
  /** Until the unit runs with another process; the watchdog has a minute, and what was due before. */
  const restarted = (unit: string, pid: number) =>
    must(
      `for i in $(seq 1000); do [ $(systemctl show -P MainPID ${unit}) -gt 0 ] && [ $(systemctl show -P MainPID ${unit}) -ne ${pid} ] && exit; sleep 0.1; done; exit 1`,
    )

  beforeAll(async () => {
    appliance = await installAppliance()
  })
  afterAll(() => appliance.machine.end())

  it('are started again within the time of the watchdog, and calls work; what runs is left alone', async () => {
    const stopped = await Promise.all([daemon, keeper, second].map(async (unit) => ({ unit, pid: await pidOf(unit) })))
    const ofFirst = await pidOf(first)
    await must(`kill -STOP ${stopped.map(({ pid }) => pid).join(' ')}`)
    await Promise.all(stopped.map(({ unit, pid }) => restarted(unit, pid)))
    for (const { unit } of stopped) {
      expect(await must(`journalctl -q -o cat -u ${unit}`)).toMatch(/Watchdog timeout[^]*Failed with result 'watchdog'/)
      // A signal that a stopped process does not get would be followed by another one after TimeoutStopSec=.
      expect(await must(`journalctl -q -o cat -u ${unit}`)).not.toContain('timed out')
    }
    // It lives for longer than a watchdog that is not fed gives.
    await must(`while [ $(ps -o etimes= -p ${ofFirst}) -le 65 ]; do sleep 1; done`)
    expect(await pidOf(first)).toBe(ofFirst)
    expect(await mainJob(appliance)).toMatch(/decrypt +version 2: "Hello from the strongroom\."/)
    expect(await problemsOf(appliance.machine)).toEqual([])
  })
})
