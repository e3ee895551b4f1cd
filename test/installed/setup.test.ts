import { afterAll, beforeAll, expect, it } from 'vitest'
import { installAppliance, type InstalledAppliance } from '../support/installed-appliance.ts'
import { describeInMachines } from '../support/machine.ts'

const services = ['strongroom.service', 'strongroom-keeper.service', 'strongroom-token@1.service']

describeInMachines('an appliance that scripts/setup installed under systemd', () => {
  let appliance: InstalledAppliance
  const must = (line: string) => appliance.machine.must(line)
  const doctor = async () => JSON.parse(await must('strongroom --json doctor || true'))

  beforeAll(async () => {
    appliance = await installAppliance()
  })
  afterAll(() => appliance.machine.end())

  it('did its main job, told of the first administrator once, and finds no problem', async () => {
    expect(appliance.said).toMatch(/decrypt +version 2: "Hello from the strongroom\."/)
    for (const secret of Object.values(appliance.admin)) {
      expect(secret).toMatch(/^\S{10,}$/)
      expect((await appliance.machine.run(`grep -rlF -- '${secret}' /etc /var/lib /var/log /run`)).stdout).toBe('')
    }
    expect((await doctor()).findings.filter(({ state }: { state: string }) => state === 'problem')).toEqual([])
  })

  it('comes back after a restart and after a reboot', async () => {
    await must('systemctl restart strongroom')
    expect((await doctor()).problems).toBe(0)
    await appliance.machine.reboot()
    await must('for i in $(seq 100); do strongroom doctor >/dev/null && exit; sleep 0.2; done; exit 1')
    expect((await must(`systemctl is-active ${services.join(' ')}`)).split('\n').slice(0, 3)).toEqual([
      'active',
      'active',
      'active',
    ])
  })

  it('is exposed to little: systemd-analyze security', async () => {
    const exposure = await must(
      `for unit in ${services.join(' ')}; do systemd-analyze security --no-pager $unit | tail -1; done`,
    )
    const figures = [...exposure.matchAll(/for (\S+): (\d+\.\d)/g)].map(([, unit, figure]) => [unit, Number(figure)])
    expect(figures.map(([unit]) => unit)).toEqual(services)
    const [daemon = 10, ...inside] = figures.map(([, figure]) => Number(figure))
    expect(daemon).toBeLessThanOrEqual(1.7)
    // A tenth of it is NotifyAccess=all: systemd-notify feeds the watchdog for Node, which cannot write to a datagram socket.
    for (const figure of inside) expect(figure).toBeLessThanOrEqual(0.8)
  })
})
