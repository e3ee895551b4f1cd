import { cpSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freePort, TestAppliance } from '../../support/appliance.ts'
import { strongroom } from '../../support/console-kit.ts'
import { FullDisk, mayMount } from '../../support/disk.ts'
import { attempt, countOf, eventually, objectsIn, processesOf, verdict } from '../../support/fault-kit.ts'
import { askMonitor, metricIn } from '../../support/monitor.ts'
import type { TestToken } from '../../support/token.ts'
import { makeVault, type TestVault } from '../../support/vault.ts'

async function givenAppliance(disk: FullDisk): Promise<TestAppliance> {
  const tokens = join(disk.path, 'tokens')
  const monitor = { enabled: true, port: await freePort() }
  const appliance = await TestAppliance.own(
    { hsm: { tokenDirectory: tokens }, monitor, warnings: { everyMs: 200 } },
    { prepare: (token) => moveTo(tokens, token) },
  )
  onTestFinished(() => appliance.close())
  return appliance
}

function moveTo(tokens: string, { tokenDirectory }: TestToken): void {
  cpSync(tokenDirectory, tokens, { recursive: true, preserveTimestamps: true })
  renameSync(tokenDirectory, `${tokenDirectory}-away`)
  symlinkSync(tokens, tokenDirectory)
}

/** What needs a new object in the token is refused without a trace; what needs its keys alone is done. */
async function expectNothingMade(appliance: TestAppliance, { admin, id, encrypt }: TestVault): Promise<void> {
  const found = async () => [await countOf(appliance, 'vaults'), objectsIn(appliance.token)]
  const before = await found()
  const made = [
    await attempt(admin, 'POST', '/vault', { vaultname: 'Refused' }),
    await attempt(admin, 'POST', `/transparent/${id}/keys/refused`, { residency: 'token', allow_backup: false }),
  ]
  expect(made.map(verdict)).toEqual(['503 1900', '503 1900'])
  expect(await found()).toEqual(before)
  expect(await encrypt('kept', 'AAAA')).toMatch(/^service:v1:/)
}

describe.skipIf(!mayMount)('the disk of the token (needs the right to mount)', () => {
  it('full, or read-only: says so, refuses what needs a new object, and destroys nothing at a login', async () => {
    const disk = new FullDisk(2 * 1024)
    onTestFinished(() => disk.remove())
    const appliance = await givenAppliance(disk)
    const { port } = appliance.config.monitor
    const vault = await makeVault(appliance)
    await vault.encrypt('kept', 'AAAA')
    const warned = async () =>
      metricIn((await askMonitor(port, '/metrics')).text, 'strongroom_warning', { warning: 'disk.token' })
    const expectTold = async () => {
      await eventually(async () => (await warned()) === 2)
      const { stdout } = await strongroom(appliance.configFile, ['doctor', '--only', 'disk space'])
      expect(stdout).toContain(`0 MiB free for ${join(disk.path, 'tokens')}`)
    }
    const expectOver = async () => {
      await eventually(async () => verdict(await attempt(vault.admin, 'POST', '/vault', { vaultname: 'v' })) === 'done')
      await eventually(async () => (await warned()) === undefined)
    }

    disk.fill(0)
    await expectNothingMade(appliance, vault)
    await expectTold()
    const { hosts } = processesOf(appliance)
    for (const pid of hosts) process.kill(pid, 'SIGKILL')
    await eventually(() => processesOf(appliance).hosts.some((pid) => !hosts.includes(pid)))
    await eventually(async () => (await appliance.hsm.status()).every(({ state }) => state === 'ready'))
    await expectNothingMade(appliance, vault)
    disk.free()
    await expectOver()

    disk.setReadOnly(true)
    await expectNothingMade(appliance, vault)
    await expectTold()
    disk.setReadOnly(false)
    await expectOver()
  })
})
