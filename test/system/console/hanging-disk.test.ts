import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { json } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { entry } from '../../support/console-kit.ts'
import { HangingDisk, mayHang } from '../../support/disk.ts'
import { askMonitor, monitored } from '../../support/monitor.ts'

/** An appliance whose configuration names a folder for backups on a disk that does not answer. */
async function givenHangingDisk() {
  const disk = new HangingDisk()
  onTestFinished(() => disk.remove())
  const { appliance, port } = await monitored()
  onTestFinished(() => appliance.close())
  const written = JSON.parse(readFileSync(appliance.configFile, 'utf8'))
  const backup = {
    directory: disk.path,
    recipients: ['age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p'],
  }
  writeFileSync(appliance.configFile, JSON.stringify({ ...written, backup }))
  return { appliance, port, disk }
}

describe.skipIf(!mayHang)('a network disk for backups that does not answer (needs the right to mount)', () => {
  it('keeps doctor neither from naming it nor from ending', async () => {
    const { appliance, disk } = await givenHangingDisk()
    const doctor = spawn(process.execPath, [entry, '--config', appliance.configFile, '--json', 'doctor'])
    onTestFinished(() => void doctor.kill('SIGKILL'))
    const [{ findings }, [status]] = await Promise.all([
      json(doctor.stdout) as Promise<{ findings: { subject: string; detail: string }[] }>,
      once(doctor, 'exit'),
    ])
    const detail = `the disk of ${disk.path} does not answer`
    for (const subject of ['disk space', 'backup'])
      expect(findings).toContainEqual(expect.objectContaining({ subject, state: 'problem', detail }))
    expect(status).toBe(1)
  })

  it('keeps a daemon that has looked at it neither from answering nor from ending', async () => {
    const { appliance, port } = await givenHangingDisk()
    await appliance.restart()
    expect((await askMonitor(port, '/metrics')).status).toBe(200)
    await appliance.login()
    await appliance.stop()
  })
})
