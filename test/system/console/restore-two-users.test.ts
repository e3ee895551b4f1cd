import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { endDaemon, freePort, startDaemon } from '../../support/appliance.ts'
import { givenAgePair, givenFolder } from '../../support/backup-kit.ts'
import { passphrase, strongroomProcess } from '../../support/console-kit.ts'
import { type DirectDaemon, hasTwoUsers, insideUser, startDirectly, workersUser } from '../../support/two-users.ts'

/** Owner, mode and path of all files and folders in a folder, by find(1), except those of a running daemon. */
const ownersBelow = (folder: string): string[] =>
  execFileSync('find', [folder, '-printf', '%u:%g %m %P\n'], { encoding: 'utf8' })
    .split('\n')
    .filter(
      (line) =>
        line !== '' &&
        !/-(?:wal|shm|journal)$|\.lock$|floors|\/reserve$|officer-pin|token\.json|ceremony|audit-public/.test(line),
    )
    .toSorted()

describe.runIf(hasTwoUsers)('an appliance of two users that root restores', () => {
  let appliance: DirectDaemon
  let [file, identity] = ['', '']
  const console = (...args: string[]) => strongroomProcess(appliance.configFile, args)

  beforeAll(async () => {
    appliance = await startDirectly({ separate: true })
    // As setup leaves it.
    chmodSync(join(appliance.directory, 'outside/server.key'), 0o400)
    const add = 'user add alice --fullname Alice --email alice@example.test --passphrase-file -'
    expect(strongroomProcess(appliance.configFile, add.split(' '), passphrase).stderr).toBe('')
    const folder = join(appliance.directory, 'backups')
    mkdirSync(folder)
    const pair = givenAgePair(folder)
    ;[file, identity] = [join(folder, 'b.age'), pair.identity]
    expect(console('backup', 'create', file, '--recipient', pair.recipient).status).toBe(0)
  })
  afterAll(() => appliance.stop())

  it('has the owners and modes that setup gave it, and its daemon serves as these users, of whom one reads neither PIN nor token', async () => {
    const elsewhere = givenFolder()
    // Both users may traverse it, like /var/lib.
    chmodSync(elsewhere, 0o755)
    const into = join(elsewhere, 'r')
    const outside = join(appliance.directory, 'outside')
    const publicKey = join(outside, 'audit/audit-public.pem')
    const keys = ['--identity', identity, '--public-key', publicKey, '--pin-file', appliance.token.pinFile]
    const place = ['--tls-key', join(outside, 'server.key'), '--into', into]
    const restored = console('backup', 'restore', file, ...keys, ...place)
    expect({ status: restored.status, stderr: restored.stderr }).toEqual({ status: 0, stderr: expect.any(String) })
    expect(restored.stdout).not.toMatch(/^problem/m)

    for (const folder of [appliance.token.directory, outside])
      expect(ownersBelow(join(into, folder))).toEqual(ownersBelow(folder))

    const configFile = join(into, appliance.configFile)
    const port = await freePort()
    const configuration = JSON.parse(readFileSync(configFile, 'utf8'))
    configuration.http.port = port
    writeFileSync(configFile, JSON.stringify(configuration))
    const journal: string[] = []
    const daemon = await startDaemon(configFile, journal)
    onTestFinished(async () => void (await endDaemon(daemon, 'SIGTERM')))
    expect(
      strongroomProcess(configFile, ['doctor', '--only', 'separation,permissions,daemon,token,keeper']).stdout,
    ).toMatch(/^ok +daemon +answers/m)
    expect(execFileSync('ps', ['-e', '-o', 'user=,args='], { encoding: 'utf8' })).toMatch(
      new RegExp(`^${insideUser} .*strongroom-keeper.*${configFile}`, 'm'),
    )

    const as = ['--reuid', workersUser, '--regid', workersUser, '--clear-groups']
    const { pinFile, tokenDirectory } = appliance.token
    for (const path of [pinFile, join(tokenDirectory, '.')])
      expect(() => execFileSync('setpriv', [...as, 'cat', join(into, path)], { stdio: 'pipe' })).toThrow(
        /Permission denied/,
      )
  })

  it('under systemd, whose restored copy in a folder is started by one command all the same', async () => {
    const configuration = JSON.parse(readFileSync(appliance.configFile, 'utf8'))
    delete configuration.processes
    configuration.hsm.spawn = false
    configuration.hsm.pinFile = '${CREDENTIALS_DIRECTORY}/pin'
    configuration.tls.key = '${CREDENTIALS_DIRECTORY}/tls-key'
    configuration.http.port = await freePort()
    const [credentials, elsewhere] = [givenFolder(), givenFolder()]
    const outside = join(appliance.directory, 'outside')
    const [pin, key] = [join(credentials, 'pin'), join(credentials, 'tls-key')]
    cpSync(appliance.token.pinFile, pin)
    cpSync(join(outside, 'server.key'), key)
    const configFile = join(appliance.directory, 'units.json')
    writeFileSync(configFile, JSON.stringify(configuration))
    const pair = givenAgePair(elsewhere)
    const taken = join(elsewhere, 'b.age')
    const run = (...args: string[]) => strongroomProcess(configFile, args)
    vi.stubEnv('CREDENTIALS_DIRECTORY', credentials)
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(run('backup', 'create', taken, '--recipient', pair.recipient).stderr).toBe('')

    chmodSync(elsewhere, 0o755)
    const into = join(elsewhere, 'r')
    const publicKey = join(outside, 'audit/audit-public.pem')
    const kept = ['--pin-file', pin, '--tls-key', key, '--into', into]
    const keys = ['--identity', pair.identity, '--public-key', publicKey]
    const { stdout } = run('backup', 'restore', taken, ...keys, ...kept)
    const [, restored = ''] = /^Next: strongroomd --config (.*)$/m.exec(stdout) ?? []
    const daemon = await startDaemon(restored, [])
    onTestFinished(async () => void (await endDaemon(daemon, 'SIGTERM')))
    expect(strongroomProcess(restored, ['doctor', '--only', 'separation,token,keeper']).stdout).not.toMatch(/^problem/m)
  })
})
