import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { problemsOf } from '../support/installed-appliance.ts'
import { output } from '../support/machine-process.ts'
import { bootMachine, describeInMachines, type Machine } from '../support/machine.ts'
import { debianPackage, laterPackage } from '../support/package.ts'
import {
  administratorLines,
  bringPackage,
  carryKept,
  databaseUrl,
  givenPostgres,
  keepCredentials,
  mainJobLine,
} from '../support/packaged-appliance.ts'
import { backupByTimer, edit, install, quietly, untilReady } from '../support/operator-lines.ts'
import { createSession } from '../support/session.ts'

const folder = resolve(import.meta.dirname, '../..')
const transcript = join(folder, 'docs/operations-session.md')
const introduction = `# A session of operations

The whole life of an appliance on one machine, a fresh Debian 13 with systemd, as \`test/installed/life.test.ts\` types it; after each job the
ciphertexts of the first day are decrypted over TLS, and \`strongroom doctor\` has no problem to name. \`SESSION=write STRONGROOM_TESTS=release
scripts/test test/installed/life\` writes this page again. Seconds are those of a virtual machine with two processors, shared with other work.
[operations.md](operations.md) explains each command.`

const config = '/etc/strongroom/strongroom.json'
const newConfig = '/etc/strongroom/strongroom.new.json'
const oldConfig = '/etc/strongroom/strongroom.old.json'
const credentials = '/etc/strongroom/credentials'

describeInMachines('the life of an appliance', () => {
  const session = createSession()
  let machine: Machine
  let [first, second] = ['', '']
  /** Ciphertexts of the first day. */
  let ofFirstDay: string[] = []

  const must = (line: string) => machine.must(line)

  /** What was encrypted on the first day, and by the run before, is decrypted; nothing is wrong. */
  async function givesBack(from = machine, port = 443): Promise<void> {
    const kept = join(from.root, 'root/kept.json')
    const all = JSON.parse(readFileSync(kept, 'utf8')) as string[]
    writeFileSync(kept, JSON.stringify([...new Set([...ofFirstDay, ...all.slice(-2)])]))
    const said = await from.must(mainJobLine(port))
    const decrypted = said.match(/decrypt what an earlier run made +version \d+: "Hello from the strongroom\."/g) ?? []
    expect(decrypted.length).toBeGreaterThanOrEqual(ofFirstDay.length)
    expect(await problemsOf(from)).toEqual([])
    session.note(
      `What was encrypted on the first day is decrypted: ${decrypted.length} ciphertexts of ${decrypted.length}.`,
    )
  }

  beforeAll(async () => {
    const files = [await debianPackage(), await laterPackage('0.3.1')]
    machine = await bootMachine({ base: 'bare' })
    ;[first, second] = [await bringPackage(machine, files[0] ?? ''), await bringPackage(machine, files[1] ?? '')]
    // Not a part of the session: a server that the operator has, and the judge of metrics.
    await givenPostgres(machine)
    copyFileSync('/usr/bin/promtool', join(machine.root, 'usr/local/bin/promtool'))
    await must('chmod 0755 /usr/local/bin/promtool')
  })
  afterAll(async () => {
    await machine.end()
    if (process.env['SESSION'] === 'write') session.write(transcript, introduction)
  })

  it('install from the package', async () => {
    await session.job('Install from the package', machine, [
      install(first, 'STRONGROOM_SETUP=movable '),
      quietly(`mv ${credentials}/so-pin ${credentials}/ca-key .`),
      quietly('cp /var/lib/strongroom/audit/audit-public.pem .'),
      { line: 'strongroom doctor', shown: 1 },
    ])
    session.note('The two files that were moved, and the public audit key, go to where the operator keeps such things.')
    expect(await problemsOf(machine)).toEqual([])
  })

  it('use', async () => {
    const lines = administratorLines.map((line) => ({ line, shown: 2 }))
    await session.job('Use', machine, lines)
    keepCredentials(machine)
    await session.job('The main job, over TLS', machine, [
      { line: mainJobLine(), as: 'node main-job.mjs --url https://127.0.0.1 --ca ca.pem …' },
    ])
    ofFirstDay = JSON.parse(readFileSync(join(machine.root, 'root/kept.json'), 'utf8')) as string[]
    expect(ofFirstDay).toHaveLength(2)
    await givesBack()
  })

  it('units, metrics and the package, judged by others', async () => {
    const said = await session.job('Judged by others', machine, [
      {
        line: `for unit in strongroom strongroom-keeper strongroom-token@1; do systemd-analyze security --no-pager $unit.service | tail -1; done`,
      },
      { line: 'curl -s http://127.0.0.1:8445/metrics | promtool check metrics && echo "metrics: in order"' },
      { line: 'promtool check rules /usr/share/doc/strongroom/config/prometheus/strongroom.rules.yml' },
    ])
    expect(said).toMatch(/SUCCESS: \d+ rules found/)
    const lintian = await output('lintian', ['--fail-on', 'error', '--tag-display-limit', '0', await debianPackage()])
    session.note(
      `\`lintian --fail-on error ${first}\`, where it was built: exit code 0, ${count(lintian, /^E:/gm)} errors, ${count(lintian, /^W:/gm)} warnings.`,
    )
  })

  it('backup', async () => {
    await session.job('Backup', machine, [
      'strongroom backup identity backup-identity.txt',
      {
        line: 'strongroom backup create first.age --recipient $(grep -o "age1[0-9a-z]*" backup-identity.txt)',
        as: 'strongroom backup create first.age --recipient age1…',
      },
      'strongroom backup verify first.age --identity backup-identity.txt --public-key audit-public.pem',
    ])
    await givesBack()
  })

  it('backup by the timer', async () => {
    const [recipient] = /age1[0-9a-z]+/.exec(await must('cat backup-identity.txt')) ?? []
    const said = await session.job('Backup by the timer', machine, backupByTimer(config, recipient))
    expect(said).toMatch(/^strongroom-\d{8}T\d{6}Z\.age$/m)
    await givesBack()
  })

  it('upgrade', async () => {
    await session.job('Upgrade', machine, [install(second), 'strongroom --version', 'strongroom doctor --only program'])
    expect(await must('strongroom --version')).toContain('0.3.1')
    await givesBack()
  })

  it('root keys', async () => {
    const said = await session.job('Rotate root keys', machine, [
      'strongroom root-keys rotate kek.strict',
      'strongroom root-keys rotate seal',
      'strongroom root-keys rotate audit',
      { line: 'strongroom root-keys list', shown: 20 },
    ])
    for (const key of ['kek.strict', 'seal', 'audit']) expect(said).toMatch(new RegExp(`${key}[ .]+.*2`))
    await givesBack()
  })

  it('PIN', async () => {
    const before = await must(`cat ${credentials}/pin`)
    await session.job('Change the PIN', machine, ['strongroom token change-pin', quietly(untilReady)])
    expect(await must(`cat ${credentials}/pin`)).not.toBe(before)
    await givesBack()
  })

  it('a second token', async () => {
    const other = '/var/lib/strongroom-token/second'
    await session.job('Move to a second token', machine, [
      {
        line: `/usr/lib/strongroom/softhsm/init-token --directory ${other} --label second --user strongroom-token --keep-so-pin`,
        shown: /^(token|uri|configuration|PIN) /,
      },
      quietly(`mv ${other}/so-pin second-so-pin && mv ${other}/pin ${credentials}/pin.second`),
      quietly(`cp -p ${credentials}/pin ${credentials}/pin.first`),
      quietly(`cp ${config} ${newConfig} && cp ${config} ${oldConfig}`),
      edit(oldConfig, { 'hsm.pinFile': '${CREDENTIALS_DIRECTORY}/pin.first' }),
      edit(newConfig, {
        'hsm.movable': 'false',
        'hsm.token': 'pkcs11:token=second',
        'hsm.softhsmConf': `${other}/softhsm2.conf`,
        'hsm.tokenDirectory': `${other}/tokens`,
        'hsm.pinFile': '${CREDENTIALS_DIRECTORY}/pin.second',
        'hsm.keeper':
          '{"socket":"/run/strongroom-token/keeper.sock","operatorSocket":"/run/strongroom-token/operator.sock","state":"/var/lib/strongroom-token/keeper.sqlite"}',
      }),
      // Not the timer of the backup, which nothing would start again.
      quietly("systemctl stop 'strongroom*.service' 'strongroom*.socket'"),
      `strongroom migrate token --to ${newConfig} --so-pin-file so-pin --to-so-pin-file second-so-pin`,
      quietly(`mv ${credentials}/pin.second ${credentials}/pin`),
      edit(newConfig, { 'hsm.pinFile': '${CREDENTIALS_DIRECTORY}/pin' }),
      quietly(`mv ${newConfig} ${config}`),
      quietly(`systemctl start strongroom.service && ${untilReady}`),
      `strongroom migrate token --finish --from ${oldConfig} --yes`,
    ])
    await givesBack()
  })

  it('PostgreSQL', async () => {
    const url = '/etc/strongroom/postgres-url'
    await session.job('Move to PostgreSQL', machine, [
      quietly(`install -m 0400 -o strongroom <(printf '${databaseUrl}') ${url}`),
      quietly('systemctl stop strongroom.service'),
      `strongroom migrate store --to ${url}`,
      {
        line: `sed -i 's|"sqlite": "[^"]*"|"postgresUrlFile": "${url}"|' ${config}`,
        as: `editor ${config}\n    store: { "postgresUrlFile": "${url}" }`,
      },
      edit(config, { 'audit.machine': 'one' }),
      quietly(`systemctl start strongroom.service && ${untilReady}`),
    ])
    await givesBack()
    expect(await must('strongroom --json doctor || true')).toContain('PostgreSQL')
  })

  it('a second machine', async () => {
    const there = '/srv/two'
    await session.job('A second machine', machine, [
      quietly(
        `install -d ${there} && install -d -m 0700 -o strongroom ${there}/audit && install -d -m 0700 -o strongroom-token ${there}/keeper`,
      ),
      quietly(
        `install -m 0400 -o strongroom-token ${credentials}/pin ${there}/pin && install -m 0400 -o strongroom ${credentials}/tls-key ${there}/tls-key`,
      ),
      quietly(`cp ${config} ${there}/strongroom.json`),
      edit(`${there}/strongroom.json`, {
        'http.port': '8453',
        'monitor.port': '8455',
        'audit.machine': 'two',
        'audit.directory': `${there}/audit`,
        'tls.key': `${there}/tls-key`,
        'hsm.pinFile': `${there}/pin`,
        'hsm.spawn': 'true',
        'hsm.sockets': `["${there}/run/1.sock"]`,
        'hsm.keeper': `{"socket":"${there}/run/keeper.sock","operatorSocket":"${there}/run/operator.sock","state":"${there}/keeper/keeper.sqlite"}`,
        'processes.workers': 'strongroom',
        'processes.inside': 'strongroom-token',
      }),
      quietly(`systemd-run --quiet --unit=strongroom-two strongroomd --config ${there}/strongroom.json`),
      quietly(untilReady.replace('8445', '8455')),
      { line: 'sleep 5; strongroom doctor | grep -i machine', as: 'strongroom doctor | grep -i machine' },
    ])
    await givesBack(machine, 8453)
    await session.job('Both trails together', machine, [
      `strongroom audit verify --directory /var/lib/strongroom/audit --directory ${there}/audit --all-machines`,
    ])
    await givesBack()
    await must('systemctl stop strongroom-two')
  })

  it('restore elsewhere', async () => {
    await session.job('Backup of today', machine, [
      {
        line: 'strongroom backup create today.age --recipient $(grep -o "age1[0-9a-z]*" backup-identity.txt)',
        as: 'strongroom backup create today.age --recipient age1…',
        shown: 4,
      },
    ])
    // What is in no backup, its operator has kept.
    const elsewhere = await bootMachine({ base: 'bare' })
    try {
      await bringPackage(elsewhere, join(machine.root, 'root', second))
      await givenPostgres(elsewhere)
      carryKept(machine, elsewhere, ['today.age', 'backup-identity.txt', 'audit-public.pem', 'kept.json'])
      const said = await session.job('Restore on another machine', elsewhere, [
        install(second, 'STRONGROOM_SETUP=none '),
        {
          line: 'strongroom backup restore today.age --identity backup-identity.txt --public-key audit-public.pem --pin-file pin --tls-key tls-key --postgres-url-file postgres-url',
          shown: 60,
        },
        // The last line of the restore says so.
        { line: 'dpkg-reconfigure strongroom 2>&1', as: 'dpkg-reconfigure strongroom', shown: /✓|✗/ },
        quietly(untilReady),
        // As the restore says of authenticator apps.
        quietly('sleep 60'),
      ])
      expect(said).toMatch(/^Next: dpkg-reconfigure strongroom$/m)
      await givesBack(elsewhere)
    } finally {
      await elsewhere.end()
    }
  })

  it('removal', async () => {
    await session.job('Remove it', machine, [
      {
        line: 'apt-get -q -y remove strongroom 2>&1',
        as: 'apt-get remove strongroom',
        shown: /Strongroom|Removing|kept/,
      },
      { line: 'ls -d /etc/strongroom /var/lib/strongroom*' },
    ])
    expect(existsSync(join(machine.root, config))).toBe(true)
    await must('echo strongroom strongroom/purge-data boolean true | debconf-set-selections')
    await session.job('Destroy what it held', machine, [
      {
        line: 'apt-get -q -y purge strongroom 2>&1',
        as: 'apt-get purge strongroom    (and yes to its one question)',
        shown: /Strongroom/,
      },
      {
        line: 'ls -d /etc/strongroom /var/lib/strongroom* 2>&1 || true',
        as: 'ls -d /etc/strongroom /var/lib/strongroom*',
      },
    ])
    for (const path of ['/etc/strongroom', '/var/lib/strongroom', '/var/lib/strongroom-token'])
      expect(existsSync(join(machine.root, path))).toBe(false)
  })
})

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0
