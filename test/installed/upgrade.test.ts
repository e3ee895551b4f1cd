import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addMigration, breakEntry } from '../support/broken-program.ts'
import { copyCheckout, firstAdministrator, mainJob, problemsOf } from '../support/installed-appliance.ts'
import type { InstalledAppliance } from '../support/installed-appliance.ts'
import { checkoutFolder } from '../support/machine-base.ts'
import { output } from '../support/machine-process.ts'
import { bootMachine, describeInMachines } from '../support/machine.ts'

const root = resolve(import.meta.dirname, '../..')
/** The commit before this one; a checkout without history has none. */
const earlier = spawnSync('git', ['rev-parse', '--verify', '--quiet', 'HEAD^'], { cwd: root, encoding: 'utf8' })

const decrypted = /decrypt what an earlier run made +version \d+: "Hello from the strongroom\."/
const setup = `${checkoutFolder}/scripts/setup`
const installed = '/usr/lib/strongroom'
const database = '/var/lib/strongroom/strongroom.db'
const appliedMigrations = `sqlite3 ${database} "select group_concat(name) from migrations"`

/** Installs the program of the commit before, and uses it. */
async function givenEarlierProgram(): Promise<InstalledAppliance> {
  const machine = await bootMachine()
  const folder = '/root/earlier'
  mkdirSync(join(machine.root, folder))
  await output('sh', ['-c', `git -C ${root} archive ${earlier.stdout.trim()} | tar -C ${machine.root}${folder} -xf -`])
  // The same packages, each file once; npm replaces those that differ.
  await machine.must(
    `cp -al ${checkoutFolder}/node_modules ${folder}/ && touch ${folder}/node_modules/.package-lock.json`,
  )
  if ((await machine.run(`cmp ${checkoutFolder}/package-lock.json ${folder}/package-lock.json`)).status !== 0)
    await machine.must(`cd ${folder} && npm_config_build_from_source=true npm ci --no-audit --no-fund`, {
      online: true,
    })
  const said = await machine.must(`${folder}/scripts/setup`)
  const appliance = { machine, said, admin: firstAdministrator(said) }
  await mainJob(appliance, folder)
  return appliance
}

const describeUpgrade = earlier.status === 0 ? describeInMachines : describe.skip

describeUpgrade('scripts/setup over the program of an earlier commit', () => {
  let appliance: InstalledAppliance
  const must = (line: string) => appliance.machine.must(line)
  const inMachine = (path: string) => appliance.machine.root + path
  const dist = () => join(inMachine(checkoutFolder), 'dist')
  const mainPid = async () => (await must('systemctl show -P MainPID strongroom')).trim()

  /** What is wrong after the earlier program was put back; a form of seals that only the new one knows is none of its trail's faults. */
  const problemsOfEarlier = async () =>
    (await problemsOf(appliance.machine)).filter(({ subject }) => subject !== 'audit trail')

  async function givenBrokenProgram(file: string, line: string): Promise<void> {
    await copyCheckout(appliance.machine)
    breakEntry(dist(), file, line)
  }

  beforeAll(async () => {
    appliance = await givenEarlierProgram()
  })
  afterAll(() => appliance.machine.end())

  it('puts everything back when the new program does not come up, the tables included', async () => {
    const [migrations, stamp] = [await must(appliedMigrations), await must(`cat ${installed}/.built-from`)]
    await givenBrokenProgram('bin/strongroomd.js', 'process.exit(2)')
    addMigration(dist())
    const { status, stdout, stderr } = await appliance.machine.run(setup)
    expect(status).toBe(1)
    expect(stdout).toContain('✓ Copy of the database')
    expect(stderr).toContain('✗ Daemon')
    expect(stderr).toContain('The new program does not come up, so the earlier one goes on.')
    for (const step of ['Database, as it was', 'Program, as it was', 'Daemon, as it was'])
      expect(stderr).toContain(`✓ ${step}`)
    expect(await must(appliedMigrations)).toBe(migrations)
    expect(await must(`cat ${installed}/.built-from`)).toBe(stamp)
    expect(await problemsOfEarlier()).toEqual([])
    expect(await mainJob(appliance)).toMatch(decrypted)
    for (const left of [`${installed}.old`, `${database}.before-upgrade`])
      expect(existsSync(inMachine(left))).toBe(false)
  })

  it('restarts what runs, waits until it is well, and keeps what was encrypted', async () => {
    await copyCheckout(appliance.machine)
    const before = await mainPid()
    expect(await must(setup)).toMatch(/✓ Upgrade/)
    expect(await mainPid()).not.toBe(before)
    expect(await problemsOf(appliance.machine)).toEqual([])
    expect(await must('strongroom doctor --only program')).toContain('the running program is the one that is installed')
    expect(await mainJob(appliance)).toMatch(decrypted)
    for (const left of [`${installed}.old`, `${database}.before-upgrade`])
      expect(existsSync(inMachine(left))).toBe(false)
  })

  it('restarts also what an upgrade that was cut short left running, which doctor names', async () => {
    const before = await mainPid()
    // As it is when only the files were replaced.
    await must(
      `sleep 3 && cp -a ${installed} ${installed}.copy && rm -r ${installed} && mv ${installed}.copy ${installed}`,
    )
    for (const name of ['strongroomd', 'strongroom-keeper', 'strongroom-tokend']) {
      const replaced = expect.stringMatching(
        new RegExp(`^${name} .process \\d+. runs since .*, but its program was replaced at`),
      )
      expect(await problemsOf(appliance.machine)).toContainEqual(expect.objectContaining({ detail: replaced }))
    }
    await must(setup)
    expect(await mainPid()).not.toBe(before)
    expect(await problemsOf(appliance.machine)).toEqual([])
  })

  it('puts the program back alone where the new one has answered calls', async () => {
    const secondHost = 'process.argv.some((argument) => argument.endsWith("2.sock"))'
    await givenBrokenProgram('bin/strongroom-tokend.js', `if (${secondHost}) process.exit(1)`)
    // A call that is judged: before the trail is open calls are refused, and answer nothing.
    const call = appliance.machine.run(
      `timeout 300 bash -c 'until [ -e ${database}.before-upgrade ] && [ "$(curl -sk -o /dev/null -w %{http_code} https://localhost/api/1.0/vault)" = 403 ]; do sleep 0.1; done'`,
    )
    const { status, stderr } = await appliance.machine.run(setup)
    await call
    expect(status).toBe(1)
    expect(stderr).toContain('The new program has answered calls, so the database stays as it is.')
    expect(stderr).toContain('✓ Daemon, as it was')
    expect(existsSync(inMachine(`${database}.before-failed-upgrade`))).toBe(true)
    expect(await problemsOfEarlier()).toEqual([])
    expect(await mainJob(appliance)).toMatch(decrypted)
  })
})
