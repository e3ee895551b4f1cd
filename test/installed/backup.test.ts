import { afterAll, beforeAll, expect, it } from 'vitest'
import { installAppliance, type InstalledAppliance } from '../support/installed-appliance.ts'
import { describeInMachines } from '../support/machine.ts'

const service = 'strongroom-backup.service'
const folder = '/srv/strongroom-backups'
const config = '/etc/strongroom/strongroom.json'

describeInMachines('backups by strongroom-backup.timer', () => {
  let appliance: InstalledAppliance
  const must = (line: string) => appliance.machine.must(line)
  const run = (line: string) => appliance.machine.run(line)
  const backups = async () => (await must(`ls ${folder}`)).split('\n').filter((name) => name !== '')
  const journal = async () =>
    must(`journalctl -q -o cat -u ${service} --since "$(systemctl show -P ActiveEnterTimestamp dbus)"`)
  const finding = async () =>
    JSON.parse((await run('strongroom --json doctor --only backup')).stdout).findings.find(
      ({ subject }: { subject: string }) => subject === 'backup',
    )

  beforeAll(async () => {
    appliance = await installAppliance()
    await must('strongroom backup identity /root/identity.txt')
    await must(`install -d -m 0755 ${folder}`)
    const recipient = /age1\w+/.exec(await must('cat /root/identity.txt'))?.[0]
    const backup = { recipients: [recipient], directory: folder, keep: { newest: 2, daily: 0, weekly: 0 } }
    const add = `const c = JSON.parse(fs.readFileSync("${config}")); c.backup = ${JSON.stringify(backup)}; c.warnings = { everyMs: 1000 }; fs.writeFileSync("${config}", JSON.stringify(c))`
    await must(`node -e '${add}' && systemctl restart strongroom && systemctl enable --now strongroom-backup.timer`)
  })
  afterAll(() => appliance.machine.end())

  it('are missing until the first is made, which doctor and the daemon say', async () => {
    expect(await must('systemctl list-timers --no-legend strongroom-backup.timer')).toContain(service)
    expect(await finding()).toMatchObject({ state: 'warning', detail: 'there is no backup in backup.directory' })
    const metric = 'strongroom_warning{warning="backup"} 1'
    await must(
      `for i in $(seq 100); do curl -s http://127.0.0.1:8445/metrics | grep -F '${metric}' && exit; sleep 0.5; done; exit 1`,
    )
  })

  it('are made while calls are served, are their owner’s alone, whole, and two of them stay', async () => {
    const made = new Set<string>()
    for (let count = 0; count < 3; count++) {
      await must(`systemctl start ${service}`)
      for (const name of await backups()) made.add(name)
      // Their names are a second apart.
      await must('sleep 1.1')
    }
    expect(made.size).toBe(3)
    expect(await backups()).toEqual([...made].toSorted().slice(-2))
    expect(await journal()).toMatch(new RegExp(`Removed ${[...made].toSorted()[0]}\\.`))
    for (const name of await backups()) {
      expect((await must(`stat -c '%U:%G %a' ${folder}/${name}`)).trim()).toBe('root:root 600')
      const verify = `strongroom backup verify ${folder}/${name} --identity identity.txt --public-key /var/lib/strongroom/audit/audit-public.pem`
      expect((await run(verify)).status).toBe(0)
    }
    expect(await finding()).toMatchObject({ state: 'ok', detail: 'the newest is 0 hours old' })
    await must(
      `for i in $(seq 60); do journalctl -q -o cat -u strongroom | grep '"warning":"backup".*over' && exit; sleep 0.5; done; exit 1`,
    )
  })

  it('are made by a process that reads no PIN and no home, and writes no part of the system', async () => {
    const reads = ['/etc/strongroom/credentials/pin', '/root/identity.txt'].map((path) => `! cat ${path}`)
    const writes = ['/etc/strongroom/x', '/usr/lib/strongroom/x'].map((path) => `! (echo >${path})`)
    const others = ['! unshare -n true', '! mount -t tmpfs none /srv', '! ip link set lo down']
    const tries = ['set -x', ...[...reads, ...writes, ...others].map((line) => `${line} || exit 9`)].join('\n')
    await must(`cat >/usr/local/bin/tries <<'END'\n#!/bin/bash\n${tries}\nEND\nchmod 0755 /usr/local/bin/tries`)
    const dropIn = `/run/systemd/system/${service}.d`
    await must(`mkdir -p ${dropIn} && printf '[Service]\\nExecStartPre=/usr/local/bin/tries\\n' >${dropIn}/tries.conf`)
    await must(`systemctl daemon-reload && systemctl start ${service}`)
    await must(`rm -r ${dropIn} && systemctl daemon-reload`)
    const exposure = await must(`systemd-analyze security --no-pager ${service} | tail -1`)
    expect(Number(/: (\d+\.\d)/.exec(exposure)?.[1])).toBeLessThanOrEqual(4)
  })

  it('that fail remove none, and the unit, its journal, doctor and the metric say so', async () => {
    const before = await backups()
    await must(`sed -i.right 's/"age1[^"]*"/"age1none"/' ${config}`)
    expect((await run(`systemctl start ${service}`)).status).not.toBe(0)
    expect((await run(`systemctl is-failed ${service}`)).stdout.trim()).toBe('failed')
    expect(await journal()).toMatch(/age1none/)
    expect(await backups()).toEqual(before)
    expect(await finding()).toMatchObject({
      state: 'problem',
      detail: expect.stringContaining('age1none is not a recipient'),
    })
    await must(`mv ${config}.right ${config}`)
    // A day and a half later.
    await must(
      `for file in ${folder}/*; do mv $file ${folder}/strongroom-$(date -u -d "-\${hours:=37} hours" +%Y%m%dT%H%M%SZ).age; hours=38; done`,
    )
    expect(await finding()).toMatchObject({
      state: 'warning',
      detail: 'the newest is 37 hours old',
      remedy: expect.stringContaining('journalctl -u strongroom-backup'),
    })
    const metric = 'strongroom_warning{warning="backup"} 1'
    await must(
      `for i in $(seq 140); do curl -s http://127.0.0.1:8445/metrics | grep -F '${metric}' && exit; sleep 0.5; done; exit 1`,
    )
    await must(
      `for i in $(seq 60); do journalctl -q -o cat -u strongroom | grep '"warning":"backup".*37 hours old' && exit; sleep 0.5; done; exit 1`,
    )
  })
})
