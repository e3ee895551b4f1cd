import { renameSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { processesOf } from '../../support/fault-kit.ts'
import { askMonitor, metricIn, monitored } from '../../support/monitor.ts'

it('a key maker that is silent for its work is not away, and one that has ended is', async () => {
  const { appliance, port } = await monitored({ hsm: { deadlineMs: 60_000 } })
  onTestFinished(() => appliance.close())
  const up = async () =>
    metricIn((await askMonitor(port, '/metrics')).text, 'strongroom_process_up', { process: 'key-maker' })
  await expect.poll(up).toBe(1)
  const [pid = 0] = processesOf(appliance).keyMaker
  // It answers nothing while it makes a key, which takes seconds on a busy machine.
  process.kill(pid, 'SIGSTOP')
  await new Promise((resolve) => setTimeout(resolve, 1_100))
  expect(await up()).toBe(1)
  // Again and again, since the next one could be ready before the monitor looks.
  const upOfKilled = () => {
    for (const killed of processesOf(appliance).keyMaker) process.kill(killed, 'SIGKILL')
    return up()
  }
  await expect.poll(upOfKilled).toBe(0)
  await expect.poll(up).toBe(1)
})

it('a key maker whose token is away says so, and is not taken for busy', async () => {
  const { appliance, port } = await monitored({ hsm: { deadlineMs: 60_000 } })
  onTestFinished(() => appliance.close())
  const up = async () =>
    metricIn((await askMonitor(port, '/metrics')).text, 'strongroom_process_up', { process: 'key-maker' })
  await expect.poll(up).toBe(1)
  const { tokenDirectory } = appliance.token
  renameSync(tokenDirectory, `${tokenDirectory}-away`)
  await expect.poll(up).toBe(0)
  renameSync(`${tokenDirectory}-away`, tokenDirectory)
  await expect.poll(up).toBe(1)
})
