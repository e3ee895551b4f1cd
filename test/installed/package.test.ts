import { createHash } from 'node:crypto'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addMigration, breakEntry } from '../support/broken-program.ts'
import { installAppliance, problemsOf } from '../support/installed-appliance.ts'
import { output, ran } from '../support/machine-process.ts'
import { bootMachine, describeInMachines, type Machine } from '../support/machine.ts'
import { checkoutFolder, type Suite } from '../support/machine-base.ts'
import { whyNoMachines } from '../support/machine-host.ts'
import { buildPackage, debianPackage, laterPackage } from '../support/package.ts'
import { installPackage, mainJobLine, makeAdministrator } from '../support/packaged-appliance.ts'
import { isRelease } from '../support/release.ts'

const database = '/var/lib/strongroom/strongroom.db'
const data = ['/etc/strongroom/strongroom.json', database, '/var/lib/strongroom-token/tokens']
const suites: Suite[] = isRelease ? ['trixie', 'bookworm'] : ['trixie']

const doMainJob = (machine: Machine) => machine.must(mainJobLine())

const problems = async (machine: Machine): Promise<string[]> =>
  (await problemsOf(machine)).map(({ subject }) => subject)

describeInMachines.each(suites)('the package on Debian %s', (suite) => {
  let machine: Machine
  let said: string
  const must = (line: string) => machine.must(line)

  beforeAll(async () => {
    const file = await debianPackage()
    machine = await bootMachine({ suite, base: 'bare' })
    said = await installPackage(machine, file)
  })
  afterAll(() => machine.end())

  it('installs without a question, starts the daemon, and says how to make the first administrator', async () => {
    expect(said).toMatch(/Root keys and database +\d+ root keys made/)
    expect(said).toMatch(/Daemon +runs/)
    expect(said).toMatch(
      /strongroom user add admin .*--admin\s+strongroom otp enroll admin --totp\s+strongroom apikey create/,
    )
    expect((await must('systemctl is-active strongroom.service strongroom-keeper.socket')).trim()).toBe(
      'active\nactive',
    )
    expect(await must('systemctl show -P FragmentPath strongroom.service')).toMatch(/^\/(usr\/)?lib\/systemd\/system\//)
    expect(await must('/usr/lib/strongroom/node/bin/node --version')).toMatch(/^v24\./)
    expect((await machine.run('command -v node npm gcc')).stdout).toBe('')
  })

  it('keeps PINs to itself: the file of the SO PIN is named, and doctor wants it gone', async () => {
    const file = '/etc/strongroom/credentials/so-pin'
    expect(said).toContain(file)
    expect((await must(`stat -c '%a %U' ${file}`)).trim()).toBe('400 root')
    for (const secret of [await must(`cat ${file}`), await must('cat /etc/strongroom/credentials/pin')]) {
      expect(secret).toHaveLength(24)
      expect((await machine.run(`grep -rlF -- '${secret}' /var/log /var/cache/debconf`)).stdout).toBe('')
    }
    expect(await problems(machine)).toEqual(['SO PIN'])
    await must(`rm ${file}`)
    expect(await problems(machine)).toEqual([])
  })

  it('does the main job over TLS, for an administrator made as it says', async () => {
    await makeAdministrator(machine)
    expect(await doMainJob(machine)).toMatch(/decrypt +version 2: "Hello from the strongroom\."/)
  })

  it('has room on each disk that it watches, and warns of none', async () => {
    const metrics = await must('curl -s http://127.0.0.1:8445/metrics')
    expect(metrics).toMatch(/^strongroom_disk_free_bytes\{folder="audit"\} [1-9]/m)
    expect(metrics).not.toMatch(/^strongroom_disk_free_bytes\{.*\} 0$/m)
    expect(metrics).not.toMatch(/^strongroom_warning\{warning="disk/m)
  })

  it.runIf(isRelease)('starts keeper and token hosts again, however often they end in a row', async () => {
    for (const unit of ['strongroom-keeper.service', 'strongroom-token@1.service'])
      await must(
        `for i in $(seq 600); do [ $(systemctl show -P NRestarts ${unit}) -ge 8 ] && exit; systemctl kill -s KILL ${unit}; sleep 0.1; done; exit 1`,
      )
    expect(await doMainJob(machine)).toMatch(/decrypt what an earlier run made/)
    expect(await problems(machine)).toEqual([])
  })

  it('brings manual pages, completion, parts list and licences', async () => {
    expect(await must('MANPAGER=cat man strongroom-user-add')).toMatch(
      /SYNOPSIS\s+strongroom user add \[options\] <name>/,
    )
    const offered = `. /usr/share/bash-completion/completions/strongroom; COMP_WORDS=(strongroom us); COMP_CWORD=1; _strongroom; echo "\${COMPREPLY[@]}"`
    expect((await must(offered)).trim()).toBe('user usercert')
    const bill = JSON.parse(await must('cat /usr/share/doc/strongroom/sbom.cdx.json')) as {
      components: { name: string; version: string; scope: string }[]
    }
    expect(bill.components.filter(({ scope }) => scope !== 'required')).toEqual([])
    const versionOf = (name: string) => bill.components.find((part) => part.name === name)?.version
    expect(`v${versionOf('node')}`).toBe((await must('/usr/lib/strongroom/node/bin/node --version')).trim())
    const sqlite = `cd /usr/lib/strongroom && node/bin/node -p 'new (require("better-sqlite3"))(":memory:").prepare("SELECT sqlite_version()").pluck().get()'`
    expect(versionOf('sqlite')).toBe((await must(sqlite)).trim())
    for (const part of ['better-sqlite3', 'pkcs11js', 'pino'])
      expect(await must('cat /usr/share/doc/strongroom/copyright')).toContain(`node_modules/${part}/*`)
    // Of the packages that are in the files of the programs and of the console, too.
    for (const part of ['koa', 'typeorm', 'zod', 'react-dom', 'react-aria-components', 'lucide-react']) {
      expect(versionOf(part)).toMatch(/^\d+\./)
      expect(await must('cat /usr/share/doc/strongroom/copyright')).toMatch(new RegExp(`^ Of .*\\b${part}\\b.*:$`, 'm'))
    }
    expect(await must('ls /usr/lib/strongroom/dist/web/assets')).toMatch(/^index-[\w-]+\.js\.br$/m)
    expect(await must('ls -d /usr/lib/strongroom/node_modules/react 2>/dev/null || echo none')).toBe('none\n')
  })

  it('an upgrade keeps everything, what the operator changed too, and restarts the daemon', async () => {
    const started = 'systemctl show -P MainPID strongroom.service'
    const before = await must(started)
    await must(`sed -i 's/weekly/daily/' /etc/logrotate.d/strongroom`)
    await must('systemctl enable --now strongroom-backup.timer')
    const config = await must('sha256sum /etc/strongroom/strongroom.json')
    expect(await installPackage(machine, await laterPackage('9.8.7'))).toMatch(/Daemon +runs/)
    expect(await must(started)).not.toBe(before)
    expect(await must("dpkg-query -W -f '${Version}' strongroom")).toBe('9.8.7')
    expect(await must('grep -c daily /etc/logrotate.d/strongroom')).toBe('1\n')
    expect((await must('systemctl is-active strongroom-backup.timer')).trim()).toBe('active')
    await must('systemctl disable --now strongroom-backup.timer')
    expect(await must('sha256sum /etc/strongroom/strongroom.json')).toBe(config)
    expect(await doMainJob(machine)).toMatch(/decrypt what an earlier run made/)
    expect(await problems(machine)).toEqual([])
  })

  it.runIf(isRelease)('an upgrade that does not come about leaves the daemon running', async () => {
    const file = await laterPackage('9.8.9', (folder) =>
      writeFileSync(join(folder, 'DEBIAN/preinst'), '#!/bin/sh\nexit 1\n'),
    )
    copyFileSync(file, join(machine.root, 'root', basename(file)))
    expect((await machine.run(`dpkg -i ${basename(file)}`)).status).not.toBe(0)
    expect(await must("dpkg-query -W -f '${db:Status-Abbrev}${Version}' strongroom")).toBe('ii 9.8.7')
    expect((await must('systemctl is-active strongroom.service')).trim()).toBe('active')
    expect(await doMainJob(machine)).toMatch(/decrypt what an earlier run made/)
  })

  it.runIf(isRelease)(
    'an upgrade whose program does not come up goes back with the earlier package, the tables included',
    async () => {
      const migrations = `cd /usr/lib/strongroom && node/bin/node -p 'new (require("better-sqlite3"))("${database}").prepare("SELECT group_concat(name) FROM migrations").pluck().get()'`
      const before = await must(migrations)
      const broken = await laterPackage('9.9.0', (folder) => {
        const dist = join(folder, 'usr/lib/strongroom/dist')
        breakEntry(dist, 'bin/strongroomd.js', 'process.exit(2)')
        addMigration(dist)
      })
      const given = async (file: string) => {
        copyFileSync(file, join(machine.root, 'root', basename(file)))
        return machine.run(`dpkg -i ${basename(file)} 2>&1`)
      }
      const failed = await given(broken)
      expect(failed.status).not.toBe(0)
      expect(failed.stdout).toContain(`${database}.before-upgrade`)
      expect(failed.stdout).toContain('Or go back: install the earlier package again')
      expect(await must(migrations)).toContain('OfTheNewRelease')
      expect((await machine.run('dpkg --configure strongroom 2>&1')).stdout).toMatch(
        /Copy of the database +there is one/,
      )
      expect((await given(await laterPackage('9.8.7'))).stdout).toMatch(/put back, as it was before[^]*Daemon +runs/)
      expect(await must(migrations)).toBe(before)
      expect(await problems(machine)).toEqual([])
      expect(await doMainJob(machine)).toMatch(/decrypt what an earlier run made/)
      expect((await machine.run(`ls ${database}.*`)).stdout).not.toContain('upgrade')
    },
  )

  it.runIf(isRelease)('an upgrade leaves a daemon stopped that its operator disabled', async () => {
    await must('systemctl disable --now strongroom.service')
    expect(await installPackage(machine, await laterPackage('9.8.8'))).toMatch(/Daemon +disabled/)
    expect((await machine.run('systemctl is-active strongroom.service')).stdout.trim()).toBe('inactive')
    await must('systemctl enable --now strongroom.service')
  })

  it('removal stops all and keeps the data, and it goes on when it is installed again', async () => {
    expect(await must('apt-get -q -y remove strongroom 2>&1')).toContain('only the program is removed')
    expect((await machine.run('pgrep -f strongroom')).stdout).toBe('')
    expect((await machine.run('ls /usr/lib/strongroom /etc/systemd/system/*/strongroom*')).stdout).toBe('')
    await must(`ls ${data.join(' ')}`)
    expect(await installPackage(machine, await debianPackage())).toMatch(/Root keys and database +0 root keys made/)
    expect(await doMainJob(machine)).toMatch(/decrypt what an earlier run made/)
    await machine.reboot()
    expect((await must('systemctl is-active strongroom.service')).trim()).toBe('active')
  })

  it.runIf(isRelease)('purge asks whether to destroy the vault, and without an answer keeps it', async () => {
    expect(await must('apt-get -q -y purge strongroom 2>&1')).toContain('kept /etc/strongroom')
    await must(`ls ${data.join(' ')}`)
    await installPackage(machine, await debianPackage())
    expect(await doMainJob(machine)).toMatch(/decrypt what an earlier run made/)
    await must('echo strongroom strongroom/purge-data boolean true | debconf-set-selections')
    expect(await must('apt-get -q -y purge strongroom 2>&1')).toContain('were destroyed')
    for (const path of data) expect((await machine.run(`test -e ${path}`)).status).toBe(1)
  })
})

const describeBeforeRelease = isRelease ? describeInMachines : describe.skip

describeBeforeRelease('the package over what scripts/setup installed', () => {
  let machine: Machine
  let said: string

  beforeAll(async () => {
    const file = await debianPackage()
    const appliance = await installAppliance()
    machine = appliance.machine
    said = await installPackage(machine, file)
  })
  afterAll(() => machine.end())

  it('takes everything over, and what scripts/setup started runs from the package', async () => {
    expect(said).toMatch(/Removed \/etc\/systemd\/system\/strongroom\.service/)
    expect(said).toMatch(/Root keys and database +0 root keys made/)
    expect((await machine.must('systemctl show -P FragmentPath strongroom.service')).trim()).toMatch(/^\/usr\/lib\//)
    const program = 'readlink /proc/$(systemctl show -P MainPID strongroom.service)/exe'
    expect((await machine.must(program)).trim()).toBe('/usr/lib/strongroom/node/bin/node')
    expect((await machine.run('ls /usr/local/bin/strongroom* /usr/lib/strongroom.*')).stdout).toBe('')
    expect(await machine.must('strongroom user list')).toContain('admin')
    expect(await problems(machine)).toEqual([])
    await machine.reboot()
    expect((await machine.must('systemctl is-active strongroom.service')).trim()).toBe('active')
  })

  it('is upgraded by packages alone from then on', async () => {
    const { status, stderr } = await machine.run(`${checkoutFolder}/scripts/setup`)
    expect(status).toBe(1)
    expect(stderr).toContain('The Debian package of Strongroom is installed here.')
  })
})

describe.skipIf(whyNoMachines !== undefined)('scripts/package-deb', () => {
  const hash = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')

  it.runIf(isRelease)('makes what lintian finds no error in', async () => {
    const { stdout, status } = await ran('lintian', [
      '--fail-on',
      'error',
      '--tag-display-limit',
      '0',
      await debianPackage(),
    ])
    expect(stdout.split('\n').filter((line) => line.startsWith('E:'))).toEqual([])
    expect(status).toBe(0)
  })

  it.runIf(isRelease)('makes the same bytes of the same source', async () => {
    const [first, second] = [await debianPackage(), await buildPackage('second')]
    expect(hash(second)).toBe(hash(first))
  })

  it('holds no source that only compilers read, and says how to report a weakness', async () => {
    const names = (await output('dpkg-deb', ['-c', await debianPackage()]))
      .split('\n')
      .map((line) => line.split(' ').at(-1))
    expect(names.filter((name) => /\.([mc]?ts|map|[ch]|cc|gyp)$/.test(name ?? ''))).toEqual([])
    expect(names).toContain('./usr/share/doc/strongroom/SECURITY.md')
  })

  it('says the license of every package inside, and what of the system it needs', async () => {
    const needs = await output('dpkg-deb', ['-f', await debianPackage(), 'Depends'])
    expect(needs).toMatch(/libc6 \(>= 2\.3[0-6]\)/)
    const copyright = await output('sh', [
      '-c',
      `dpkg-deb --fsys-tarfile ${await debianPackage()} | tar -xO ./usr/share/doc/strongroom/copyright`,
    ])
    expect(copyright.match(/^License: \S+/gm)?.length).toBeGreaterThan(50)
    expect(copyright).not.toMatch(/^License: (undefined|UNKNOWN)/m)
    // Of a dozen licences, one leaves a choice.
    expect(copyright).toMatch(/^License: MIT and [^\n]*, and BSD-3-Clause or GPL-2\.0$/m)
  })
})
