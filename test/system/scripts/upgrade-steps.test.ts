import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const nobody = 65_534

/** A folder of the daemon with a database, and the shell functions of scripts/setup. */
function givenFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'strongroom-steps-'))
  chmodSync(folder, 0o755)
  const inFolder = (name: string): string => join(folder, name)
  const data = inFolder('data')
  mkdirSync(join(data, 'audit'), { recursive: true })
  const database = join(data, 'strongroom.db')
  const config = inFolder('strongroom.json')
  writeFileSync(database, 'rows')
  writeFileSync(`${database}-wal`, 'log')
  writeFileSync(join(data, 'audit/worker-1.000001.jsonl'), 'records')
  writeFileSync(config, JSON.stringify({ store: { sqlite: database }, audit: { directory: join(data, 'audit') } }))
  const run = (lines: string, environment: Record<string, string> = {}) =>
    spawnSync(
      'bash',
      [
        '-c',
        `set -euo pipefail; . scripts/steps.bash; demo=${folder} systemd=''
         for part in places daemon first-run upgrade; do . scripts/$part.bash; done
         ${lines}`,
      ],
      { encoding: 'utf8', env: { ...process.env, ...environment } },
    )
  return { inFolder, data, database, run }
}

describe('the copy of the database before an upgrade', () => {
  it('holds what the log holds, and is kept with it where it is not put back', () => {
    const { database, run } = givenFolder()
    expect(run('earlier=/nowhere; copy_database')).toMatchObject({ status: 0, stderr: '' })
    expect(readFileSync(`${database}.before-upgrade`, 'utf8')).toBe('rows')
    expect(readFileSync(`${database}.before-upgrade-trail`, 'utf8')).toMatch(/^7 .*worker-1\.000001\.jsonl$/m)
    expect(run(`keep_copy ${database}`)).toMatchObject({ status: 0, stderr: '' })
    expect(readFileSync(`${database}.before-failed-upgrade`, 'utf8')).toBe('rows')
    expect(readFileSync(`${database}.before-failed-upgrade-wal`, 'utf8')).toBe('log')
    for (const name of ['', '-wal', '-trail']) expect(existsSync(`${database}.before-upgrade${name}`)).toBe(false)
  })

  it.skipIf(process.getuid?.() !== 0)('follows no link that a worker that was taken over has laid (needs root)', () => {
    const { inFolder, data, database, run } = givenFolder()
    writeFileSync(inFolder('shadow'), 'of root', { mode: 0o600 })
    for (const file of [data, database, `${database}-wal`, join(data, 'audit')]) chownSync(file, nobody, nobody)
    for (const name of ['.unfinished', '.before-upgrade', '.before-upgrade-trail', '.before-upgrade-wal'])
      symlinkSync(inFolder('shadow'), database + name)
    expect(run('earlier=/nowhere; copy_database')).toMatchObject({ status: 0, stderr: '' })
    expect(readFileSync(inFolder('shadow'), 'utf8')).toBe('of root')
    expect(readFileSync(`${database}.before-upgrade`, 'utf8')).toBe('rows')
    expect(run(`as_owner_of ${data} touch ${inFolder('tls')}`).status).toBe(1)
    expect(run(`as_owner_of ${data} id -u`).stdout).toBe(`${nobody}\n`)
    expect(run(`as_owner_of ${data} id -G`).stdout).toBe(`${nobody}\n`)
  })
})

describe('the copy of the database that the package keeps', () => {
  /**
   * A package folder. `configured`: the note about the copy when version `installed` is configured after version
   * `before`.
   */
  function givenPackage() {
    const { inFolder, data, database, run } = givenFolder()
    mkdirSync(inFolder('bin'))
    const configured = (installed: string, before: string, after = '') => {
      writeFileSync(inFolder('bin/dpkg-query'), `#!/bin/sh\nprintf ${installed}\n`, { mode: 0o755 })
      const steps = `. scripts/package/database-copy.bash; before=${before}; prepare_database; cat "$work/note"; ${after}`
      const { stdout, stderr } = run(steps, { PATH: `${inFolder('bin')}:${process.env['PATH']}` })
      expect(stderr).toBe('')
      return stdout
    }
    return { data, database, configured, rows: () => readFileSync(database, 'utf8') }
  }

  it('is of before the upgrade, however often that is tried, and the earlier package puts it back', () => {
    const { database, configured, rows } = givenPackage()
    expect(configured('2', '1')).toBe(`${database}.before-upgrade`)
    writeFileSync(database, 'rows of 2')
    expect(configured('2', '1')).toBe('there is one already')
    expect(configured('3', '1')).toBe('there is one already')
    expect(configured('1', '1')).toBe('put back, as it was before the upgrade')
    expect(rows()).toBe('rows')
    expect(readFileSync(`${database}-wal`, 'utf8')).toBe('log')
    for (const name of ['', '-wal', '-trail', '-version'])
      expect(existsSync(`${database}.before-upgrade${name}`)).toBe(false)
  })

  it('is another one for the next upgrade, and none where the newer release has answered calls', () => {
    const { data, database, configured, rows } = givenPackage()
    configured('2', '1')
    writeFileSync(database, 'rows of 2')
    expect(configured('3', '2')).toBe(`${database}.before-upgrade`)
    expect(readFileSync(`${database}.before-upgrade`, 'utf8')).toBe('rows of 2')
    const record = `records\n{"type":"event","operation":"transparent.encrypt"}\n`
    writeFileSync(join(data, 'audit/worker-1.000001.jsonl'), record)
    writeFileSync(database, 'rows of 3')
    expect(configured('2', '2')).toMatch(/^not put back, because the newer release has answered calls/)
    expect(rows()).toBe('rows of 3')
    expect(readFileSync(`${database}.before-failed-upgrade`, 'utf8')).toBe('rows of 2')
  })

  it('is not put back over what an operator did at the console; what init did is nothing to lose', () => {
    const { data, configured, rows } = givenPackage()
    const did = (operation: string) =>
      writeFileSync(join(data, 'audit/console.000001.jsonl'), `{"type":"event","operation":"${operation}"}\n`)
    for (const [operation, expected] of [
      ['console.init', 'rows'],
      ['console.user.add', 'rows of 2'],
    ] as const) {
      rmSync(join(data, 'audit/console.000001.jsonl'), { force: true })
      configured('2', '1')
      writeFileSync(join(data, 'strongroom.db'), 'rows of 2')
      did(operation)
      configured('1', '1')
      expect(rows()).toBe(expected)
    }
  })

  it('stays until the new daemon runs', () => {
    const { database, configured } = givenPackage()
    configured('2', '1', 'forget_copy')
    expect(existsSync(`${database}.before-upgrade`)).toBe(true)
    configured('2', '1', 'serving() { echo 1; }; forget_copy')
    expect(existsSync(`${database}.before-upgrade`)).toBe(false)
  })
})

it.each([
  [1, 1],
  [2, 2],
  [3, 2],
  [4, 2],
  [8, 4],
  [64, 8],
])('on %i cores a new configuration has %i token hosts', (cores, hosts) => {
  const { inFolder, run } = givenFolder()
  mkdirSync(inFolder('bin'))
  writeFileSync(inFolder('bin/nproc'), `#!/bin/sh\necho ${cores}\n`, { mode: 0o755 })
  const { stdout } = run('echo "$sockets"', { PATH: `${inFolder('bin')}:${process.env['PATH']}` })
  expect(JSON.parse(stdout)).toEqual(Array.from({ length: hosts }, (_, at) => inFolder(`run/${at + 1}.sock`)))
})

it('under systemd the token hosts of the configuration are started, however many cores there are', () => {
  const { inFolder, run } = givenFolder()
  writeFileSync(
    inFolder('strongroom.json'),
    JSON.stringify({ hsm: { sockets: ['/run/a/1.sock', '/run/a/spare.sock'] } }),
  )
  expect(run('socket_units').stdout.split('\n').slice(0, 3)).toEqual([
    'strongroom-token@1.socket',
    'strongroom-token@spare.socket',
    'strongroom-token@key-maker.socket',
  ])
})

describe('a setup that was cut short', () => {
  it('goes on with the token that it made, and does not show an SO PIN that it does not know', () => {
    const { inFolder, run } = givenFolder()
    rmSync(inFolder('strongroom.json'))
    const first = run('softhsm/init-token --directory "$token" --label "$label" --json').stdout
    const { uri } = JSON.parse(first) as { uri: string }
    const second = run('make_token; cat "$work/note"; write_config')
    expect(second).toMatchObject({ status: 0, stderr: '' })
    expect(second.stdout).toMatch(/^existed.*SO PIN was shown/)
    const config = JSON.parse(readFileSync(inFolder('strongroom.json'), 'utf8')) as { hsm: { token: string } }
    expect(config.hsm.token).toBe(uri)
    expect(run('make_token; cat "$work/note"').stdout).toBe('exists')
  })

  it('leaves no part of a configuration where there is no room, and its mode and link as they are', () => {
    const { inFolder, run } = givenFolder()
    const settings = `node scripts/write-config.mjs`
    const before = readFileSync(inFolder('strongroom.json'), 'utf8')
    expect(run(`trap '' XFSZ; ulimit -f 0; ${settings} "$demo/new.json" http.port=1`).status).not.toBe(0)
    expect(run(`trap '' XFSZ; ulimit -f 0; ${settings} --over "$config" http.port=1`).status).not.toBe(0)
    expect([existsSync(inFolder('new.json')), readFileSync(inFolder('strongroom.json'), 'utf8')]).toEqual([
      false,
      before,
    ])
    chmodSync(inFolder('strongroom.json'), 0o640)
    symlinkSync('strongroom.json', inFolder('link.json'))
    expect(run(`${settings} --over "$demo/link.json" http.port=7`).status).toBe(0)
    expect(readFileSync(inFolder('strongroom.json'), 'utf8')).toContain('"port": 7')
    expect(statSync(inFolder('strongroom.json')).mode & 0o777).toBe(0o640)
    expect(run(`${settings} "$demo/new.json" http.port=1`).status).toBe(0)
    expect(run(`${settings} "$demo/new.json" http.port=2`).status).not.toBe(0)
    expect(JSON.parse(readFileSync(inFolder('new.json'), 'utf8'))).toEqual({ http: { port: 1 } })
  })
})

it('Node packages that do not load in this Node.js are compiled anew', () => {
  const { inFolder, run } = givenFolder()
  mkdirSync(inFolder('node_modules/better-sqlite3'), { recursive: true })
  mkdirSync(inFolder('bin'))
  writeFileSync(inFolder('bin/npm'), '#!/bin/sh\necho compiled anew\n', { mode: 0o755 })
  writeFileSync(inFolder('package-lock.json'), '')
  const module = inFolder('node_modules/better-sqlite3/index.js')
  const path = { PATH: `${inFolder('bin')}:${process.env['PATH']}` }
  const install = () =>
    run(`root=${inFolder('')}; touch -d tomorrow $root/node_modules/.package-lock.json; install_modules`, path).stdout
  writeFileSync(module, 'module.exports = class {}')
  expect(install()).toBe('')
  writeFileSync(module, "throw new Error('compiled against a different Node.js version')")
  expect(install()).toBe('compiled anew\n')
})

describe('a PIN that was encrypted to this machine', () => {
  it('is no reason to make a token, and systemd decrypts it for what needs it', () => {
    const { inFolder, run } = givenFolder()
    mkdirSync(inFolder('credentials'))
    for (const name of ['pin.cred', 'pin.cred.next', 'ca-key', 'tls-key'])
      writeFileSync(inFolder(`credentials/${name}`), '')
    mkdirSync(inFolder('bin'))
    writeFileSync(inFolder('bin/systemd-run'), '#!/bin/sh\nprintf "%s " "$@"\n', { mode: 0o755 })
    const place = `systemd=1 secrets=${inFolder('credentials')}; pin=$secrets/pin`
    const path = { PATH: `${inFolder('bin')}:${process.env['PATH']}` }
    expect(run(`${place}; make_token; cat "$work/note"`)).toMatchObject({ status: 0, stdout: 'exists' })
    const said = run(`${place}; with_credentials strongroom init`, path).stdout
    expect(said).toContain(`LoadCredentialEncrypted=pin:${inFolder('credentials/pin.cred')} `)
    expect(said).toContain(`LoadCredential=tls-key:${inFolder('credentials/tls-key')} `)
    expect(said).toMatch(/ strongroom init $/)
    expect(said).not.toContain('next')
    writeFileSync(inFolder('credentials/pin'), '')
    expect(run(`${place}; with_credentials echo directly`, path).stdout).toBe('directly\n')
  })
})
