import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
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
})
