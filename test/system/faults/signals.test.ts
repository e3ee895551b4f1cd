import { expect, it, onTestFinished } from 'vitest'
import { TestAppliance, twoWorkers } from '../../support/appliance.ts'
import { eventually, processesOf } from '../../support/fault-kit.ts'
import { makeVault } from '../../support/vault.ts'

it('signals that are not for them neither end the processes, nor have them open a debugger', async () => {
  const appliance = await TestAppliance.own(twoWorkers)
  onTestFinished(() => appliance.close())
  const vault = await makeVault(appliance)
  await eventually(() => processesOf(appliance).spare.length > 0)
  const before = processesOf(appliance)
  const inside = [...before.keeper, ...before.hosts, ...before.keyMaker]
  const workers = [...before.workers, ...before.spare]
  for (const pid of [appliance.pid, ...workers, ...inside]) process.kill(pid, 'SIGUSR1')
  for (const pid of [...workers, ...inside]) process.kill(pid, 'SIGINT')
  for (const pid of [appliance.pid, ...workers, ...inside]) process.kill(pid, 'SIGHUP')

  // Each kind of process has answered since, other than the spare worker and the maker of RSA keys.
  await eventually(() => appliance.journal.split('certificate read again').length > before.workers.length)
  for (const _ of before.hosts) await vault.encrypt('after', 'YWZ0ZXI=')
  await appliance.login()
  expect(processesOf(appliance)).toEqual(before)
  expect(appliance.journal).not.toMatch(/debugger|inspector/i)
})
