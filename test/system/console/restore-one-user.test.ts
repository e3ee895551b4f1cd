import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { endDaemon, freePort, startDaemon } from '../../support/appliance.ts'
import { givenAgePair, givenFolder } from '../../support/backup-kit.ts'
import { makePremises } from '../../support/console-kit.ts'

it('starts by one command what was restored into a folder, where one user ran each program by himself', async () => {
  const premises = await makePremises()
  onTestFinished(() => premises.cleanup())
  await premises.ask(['init'])
  premises.configure({ hsm: { spawn: false }, http: { port: await freePort() } })
  const folder = givenFolder()
  const { identity, recipient } = givenAgePair(folder)
  const file = join(folder, 'b.age')
  await premises.ask(['backup', 'create', file, '--recipient', recipient])
  const keys = ['--identity', identity, '--public-key', join(premises.auditDirectory, 'audit-public.pem')]
  const secrets = ['--pin-file', premises.token.pinFile, '--tls-key', join(premises.directory, 'tls/server.key')]
  const { stdout } = await premises.run(['backup', 'restore', file, ...keys, ...secrets, '--into', join(folder, 'r')])
  const [, restored = ''] = /^Next: strongroomd --config (.*)$/m.exec(stdout) ?? []
  expect(JSON.parse(readFileSync(restored, 'utf8'))).not.toHaveProperty('processes')
  const daemon = await startDaemon(restored, [])
  expect(await endDaemon(daemon, 'SIGTERM')).toBe(0)
})
