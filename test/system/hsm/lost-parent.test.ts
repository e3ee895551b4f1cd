import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createConnection } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { loadConfig } from '../../../src/config/loader.ts'
import { keeperOf } from '../../../src/config/keeper-section.ts'
import { startKeeper } from '../../../src/hsm/keeper/keeper.ts'
import { givenInitialised } from '../../support/console-kit.ts'

const programs = resolve(import.meta.dirname, '../../../dist/bin')

// A killed command, or daemon, leaves a process behind that it has just started: a keeper would hold its file for ever.
it.each(['strongroom-keeper.js', 'strongroom-tokend.js'])(
  '%s ends where its parent ended while it was loaded',
  async (name) => {
    const { configFile, directory } = await givenInitialised({ tokenHost: false })
    const socket = name === 'strongroom-tokend.js' ? ['--socket', join(directory, 'own.sock')] : []
    const started = fork(join(programs, name), ['--config', configFile, '--parent', ...socket])
    onTestFinished(() => void started.kill('SIGKILL'))
    started.disconnect()
    expect(await once(started, 'exit')).toEqual([0, null])
  },
)

it('a keeper that is closed before it listens does not listen afterwards', async () => {
  const { configFile } = await givenInitialised({ tokenHost: false })
  startKeeper(configFile, { systemd: false }).close()
  await delay(1_000)
  const connection = createConnection(keeperOf(loadConfig(configFile)).socket)
  expect(await once(connection, 'error')).toMatchObject([{ syscall: 'connect' }])
})
