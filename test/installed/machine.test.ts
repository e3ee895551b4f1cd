import { existsSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bootMachine, describeInMachines, type Machine } from '../support/machine.ts'

describeInMachines.each(['bare', 'built'] as const)('a machine for tests (%s)', (base) => {
  let machine: Machine

  beforeAll(async () => {
    machine = await bootMachine({ base })
  })
  afterAll(async () => {
    await machine.end()
    expect(existsSync(machine.root)).toBe(false)
  })

  it('is a Debian whose first process is systemd, with a network of its own', async () => {
    expect(await machine.must('cat /etc/os-release')).toContain('trixie')
    expect((await machine.must('cat /proc/1/comm')).trim()).toBe('systemd')
    expect((await machine.must('ip -o link | wc -l')).trim()).toBe('1')
    expect((await machine.run('systemctl is-active dbus && exit 7')).status).toBe(7)
  })

  it('keeps its disk through a reboot and through a power failure', async () => {
    await machine.must('echo first >kept; echo lost >/run/lost')
    await machine.reboot()
    expect(await machine.must('cat kept; ls /run/lost 2>/dev/null || true')).toBe('first\n')
    await machine.kill()
    await machine.boot()
    expect(await machine.must('cat kept')).toBe('first\n')
  })
})
