import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { createObserver } from '../../../src/daemon/monitor/observer.ts'
import { freePort, TestAppliance } from '../../support/appliance.ts'
import { strongroom } from '../../support/console-kit.ts'
import { FailingDisk, FullDisk, mayMount } from '../../support/disk.ts'
import { attempt, eventually, objectsIn, processesOf, verdict } from '../../support/fault-kit.ts'
import { askMonitor, metricIn } from '../../support/monitor.ts'
import { givenAgePair, givenFolder } from '../../support/backup-kit.ts'
import { makeVault } from '../../support/vault.ts'

/** An appliance whose keeper has its files on this disk. */
async function givenAppliance(disk: FullDisk | FailingDisk): Promise<{ appliance: TestAppliance; files: string }> {
  onTestFinished(() => disk.remove())
  const [files, sockets] = [join(disk.path, 'keeper'), givenFolder()]
  mkdirSync(files, { mode: 0o700 })
  const keeper = {
    socket: join(sockets, 'keeper.sock'),
    operatorSocket: join(sockets, 'operator.sock'),
    state: join(files, 'keeper.sqlite'),
  }
  const appliance = await TestAppliance.own({
    hsm: { keeper },
    monitor: { enabled: true, port: await freePort() },
    warnings: { everyMs: 200 },
  })
  onTestFinished(() => appliance.close())
  return { appliance, files }
}

describe.skipIf(!mayMount)('a disk under the keeper’s file (needs the right to mount)', () => {
  it('that is full: what the keeper has to note is refused with 503, which is over when there is room', async () => {
    const disk = new FullDisk()
    const { appliance, files } = await givenAppliance(disk)
    const { port } = appliance.config.monitor
    const vault = await makeVault(appliance)
    const users = [await appliance.addUser(), await appliance.addUser()]
    const newVault = () => attempt(vault.admin, 'POST', '/vault', { vaultname: 'Refused' })
    const residentKey = `/transparent/${vault.id}/keys/resident`
    await vault.admin.must('POST', residentKey, { residency: 'token', allow_backup: false })
    disk.fill(0)
    // The journals of SQLite have room for a few more notes.
    while (verdict(await newVault()) === 'done') {}

    const [first, second] = users.map((user) => appliance.credentials(user))
    const refused = [
      await newVault(),
      await attempt(vault.admin, 'POST', `/transparent/${vault.id}/keys/refused`),
      await attempt(appliance.client(), 'POST', '/auth', first),
    ]
    expect(refused.map(verdict)).toEqual(refused.map(() => '503 1900'))
    expect(appliance.journal.split('The disk of the file in hsm.keeper.state').length).toBeGreaterThan(1)
    // The keeper has said that it is full: the token is not asked for keys that it could not seal.
    const objects = objectsIn(appliance.token)
    for (let round = 0; round < 8; round++) {
      expect(verdict(await newVault())).toBe('503 1900')
      expect(verdict(await attempt(vault.admin, 'POST', `${residentKey}/rotate`))).toBe('503 1900')
    }
    expect(objectsIn(appliance.token)).toBe(objects)
    // What the monitor saw serves for a second.
    const ready = () => askMonitor(port, '/health/ready')
    await eventually(async () => (await ready()).status === 503)
    expect(JSON.parse((await ready()).text).checks).toMatchObject({ keeper: { state: 'failed' } })
    const warned = async () =>
      metricIn((await askMonitor(port, '/metrics')).text, 'strongroom_warning', { warning: 'disk.keeper' })
    await eventually(async () => (await warned()) === 2)
    // Under systemd the daemon does not see the folder.
    const hidden = { ...appliance.config, hsm: { ...appliance.config.hsm, spawn: false } }
    const observer = createObserver(hidden, { look: () => Promise.resolve([]) }, systemClock)
    onTestFinished(() => observer.close())
    expect((await observer.look()).folders).toContainEqual(
      expect.objectContaining({ folder: 'keeper', sizeBytes: 16 * 2 ** 20 }),
    )
    const doctor = await strongroom(appliance.configFile, ['doctor', '--only', 'disk space,keeper'])
    expect(doctor).toMatchObject({ status: 1, stdout: expect.stringContaining(`0 MiB free for ${files}`) })

    const told = () => appliance.journal.split('"name":"strongroom-keeper","msg":"The disk of the file in').length - 1
    expect(told()).toBe(1)
    for (const pid of processesOf(appliance).keeper) process.kill(pid, 'SIGKILL')
    // The next one does not start on a full disk.
    await eventually(() => told() > 1)
    disk.free()
    await eventually(async () => (await ready()).status === 200)
    await eventually(async () => (await warned()) === undefined)
    const replays = [
      await attempt(appliance.client(), 'POST', '/auth', second),
      await attempt(appliance.client(), 'POST', '/auth', second),
    ]
    expect(replays.map(verdict)).toEqual(['done', '403 1201'])
    expect(verdict(await newVault())).toBe('done')

    // Room for notes, and none for the copy of the file.
    disk.fill(64)
    const [folder, { recipient }] = [givenFolder(), givenAgePair(givenFolder())]
    const backup = ['backup', 'create', join(folder, 'b.age'), '--recipient', recipient]
    const { status, stderr } = await strongroom(appliance.configFile, backup)
    expect({ status, stderr }).toEqual({
      status: 3,
      stderr: 'strongroom: The disk of the file in hsm.keeper.state is full: free some space on it.\n',
    })
    expect(existsSync(join(files, 'keeper.sqlite.copy'))).toBe(false)
    expect(appliance.journal).not.toContain('"code":"internal"')
  })

  it('that fails and is replaced: the keeper says that it seals nothing, until it has opened its file anew', async () => {
    const disk = new FailingDisk()
    const { appliance, files } = await givenAppliance(disk)
    const { port } = appliance.config.monitor
    const vault = await makeVault(appliance)
    const user = await appliance.addUser()
    const ready = () => askMonitor(port, '/health/ready')
    const outcomes = async () => [
      verdict(await attempt(vault.admin, 'POST', '/vault', { vaultname: 'Tried' })),
      verdict(await attempt(appliance.client(), 'POST', '/auth', appliance.credentials(user))),
    ]
    disk.fail()
    expect(await outcomes()).toEqual(['503 1900', '503 1900'])
    await eventually(async () => (await ready()).status === 503)
    const { stdout } = await strongroom(appliance.configFile, ['doctor', '--only', 'disk space'])
    expect(stdout).toContain(`0 MiB free for ${files}`)

    disk.replace()
    await eventually(async () => (await outcomes()).every((one) => one === 'done'))
    await eventually(async () => (await ready()).status === 200)
    // Once before it ends, and nothing of the kind by the next one.
    expect(appliance.journal.split('"name":"strongroom-keeper","msg":"The file in hsm.keeper.state').length - 1).toBe(1)
    expect(appliance.journal).toContain('The keeper ends')
  })
})
