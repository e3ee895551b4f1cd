import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { installAppliance, mainJob, problemsOf, type InstalledAppliance } from '../support/installed-appliance.ts'
import { checkoutFolder } from '../support/machine-base.ts'
import { describeInMachines } from '../support/machine.ts'

const setup = `${checkoutFolder}/scripts/setup`
const data = [
  '/etc/strongroom/strongroom.json',
  '/var/lib/strongroom/strongroom.db',
  '/var/lib/strongroom-token/tokens',
]

describeInMachines('scripts/setup --remove', () => {
  let appliance: InstalledAppliance
  const run = (line: string) => appliance.machine.run(line)
  const must = (line: string) => appliance.machine.must(line)
  const isThere = (path: string) => existsSync(join(appliance.machine.root, path))
  /** What is left of the program, by name: files of the system, users, processes, units. */
  const leftOver = async () => ({
    units: (await must("systemctl list-units --no-legend 'strongroom*'")).trim(),
    unitFiles: (await must("find /etc/systemd/system -name 'strongroom*'")).trim(),
    processes: (await run('pgrep -af "strongroom(d|-keeper|-tokend)"')).stdout,
    program: readdirSync(join(appliance.machine.root, 'usr/lib')).filter((name) => name.startsWith('strongroom')),
    commands: readdirSync(join(appliance.machine.root, 'usr/local/bin')),
  })
  const nothing = { units: '', unitFiles: '', processes: '', program: [], commands: [] }

  beforeAll(async () => {
    appliance = await installAppliance()
    await mainJob(appliance)
  })
  afterAll(() => appliance.machine.end())

  it('takes the program away, keeps what users have, and says where', async () => {
    const said = await must(`${setup} --remove`)
    expect(await leftOver()).toEqual(nothing)
    for (const folder of ['/etc/strongroom', '/var/lib/strongroom', '/var/lib/strongroom-token'])
      expect(said).toMatch(new RegExp(`^  ${folder}$`, 'm'))
    expect(data.filter(isThere)).toEqual(data)
  })

  it('can be undone by scripts/setup: what was encrypted is decrypted', async () => {
    await must(setup)
    expect(await problemsOf(appliance.machine)).toEqual([])
    expect(await mainJob(appliance)).toMatch(
      /decrypt what an earlier run made +version 2: "Hello from the strongroom\."/,
    )
  })

  it('destroys data only when asked twice, and names what lies elsewhere', async () => {
    const refused = await run(`echo yes | ${setup} --remove --with-data`)
    expect(refused.status).toBe(1)
    expect(refused.stderr).toContain('Nothing was removed.')
    expect(await problemsOf(appliance.machine)).toEqual([])

    await must(
      `mv /var/lib/strongroom/audit /var/lib/elsewhere && sed -i 's|/var/lib/strongroom/audit|/var/lib/elsewhere|' ${data[0]}`,
    )
    const said = await must(`hostname | ${setup} --remove --with-data`)
    expect(said).toContain('audit.directory: /var/lib/elsewhere')
    expect(await leftOver()).toEqual(nothing)
    expect([...data, '/etc/strongroom', '/var/lib/strongroom'].filter(isThere)).toEqual([])
    expect(isThere('/var/lib/elsewhere/audit-public.pem')).toBe(true)
    expect((await run('id strongroom || id strongroom-token')).status).not.toBe(0)
  })

  it('says so where there is nothing, and refuses --with-data without --remove', async () => {
    expect((await run(`${setup} --remove`)).status).toBe(0)
    expect((await run(`${setup} --with-data`)).stderr).toContain('--with-data goes with --remove.')
  })
})
