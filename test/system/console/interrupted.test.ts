import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { givenAgePair, givenFolder } from '../../support/backup-kit.ts'
import { entry, givenInitialised } from '../../support/console-kit.ts'
import { FullDisk, mayMount } from '../../support/disk.ts'

/** Whether strace(1) can trace processes here. */
const mayTrace = spawnSync('strace', ['-qq', 'true']).status === 0

/** Runs a command that strace kills at the first call of this kind on one of these files. */
function killedAt(call: string, files: readonly string[], args: readonly string[]): void {
  const paths = files.flatMap((file) => ['-P', file])
  const injection = ['-e', `trace=${call}`, '-e', `inject=${call}:signal=KILL:when=1`]
  const command = ['-qq', '-o', '/dev/null', ...paths, ...injection, process.execPath, entry, ...args]
  expect(spawnSync('strace', command).signal).toBe('SIGKILL')
}

describe.runIf(mayTrace)('a command that is killed can be run again', () => {
  it('a restore, before it has listed what it puts in place', async () => {
    const premises = await givenInitialised()
    const [folder, into] = [givenFolder(), join(givenFolder(), 'r')]
    const [file, pair] = [join(folder, 'b.age'), givenAgePair(folder)]
    await premises.ask(['backup', 'create', file, '--recipient', pair.recipient])
    const keys = ['--identity', pair.identity, '--public-key', join(premises.auditDirectory, 'audit-public.pem')]
    const restore = ['backup', 'restore', file, ...keys, '--pin-file', premises.token.pinFile, '--into', into]
    const list = join(into, 'var/lib/strongroom-restore/placing.json')
    killedAt('write', [list, `${list}.restored`], restore)
    expect(await premises.run(restore)).toMatchObject({ status: 0, stderr: '' })
  })
})

describe.skipIf(!mayMount)('a full folder of temporary files (needs the right to mount)', () => {
  it('is named by the command that needs it', async () => {
    const premises = await givenInitialised({ tokenHost: false })
    const disk = new FullDisk(64)
    onTestFinished(() => disk.remove())
    vi.stubEnv('TMPDIR', disk.path)
    onTestFinished(() => void vi.unstubAllEnvs())
    disk.fill(0)
    expect(await premises.run(['token', 'status'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`A disk is full: make room below ${disk.path}`),
    })
    disk.free()
    expect(await premises.run(['token', 'status'])).toMatchObject({ status: 0 })
  })
})
