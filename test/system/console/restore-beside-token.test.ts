import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import pkcs11 from 'pkcs11js'
import { expect, it, onTestFinished, vi } from 'vitest'
import { vaultKeyLabel } from '../../../src/hsm/pkcs11/token-objects.ts'
import { givenAgePair, givenFolder } from '../../support/backup-kit.ts'
import { givenPremises } from '../../support/console-kit.ts'
import { withPin } from '../../support/pin-session.ts'
import type { TestToken } from '../../support/token.ts'

/** A data key of a vault that is made after the backup. */
function makeVaultKey(token: TestToken): void {
  withPin(token, ({ lib, session }) =>
    lib.C_GenerateKey(session, { mechanism: pkcs11.CKM_AES_KEY_GEN }, [
      { type: pkcs11.CKA_TOKEN, value: true },
      { type: pkcs11.CKA_VALUE_LEN, value: 32 },
      { type: pkcs11.CKA_LABEL, value: vaultKeyLabel },
      { type: pkcs11.CKA_ID, value: Buffer.alloc(16, 7) },
    ]),
  )
}

it.each([
  [
    'a token of its own: what no restored vault has is destroyed',
    true,
    /1 key in the token .*the daemon destroys/,
    '1',
  ],
  ['a token that serves others as well: no key is marked', false, /1 key in the token .*they stay/, '0'],
] as const)('a restore with %s', async (_, isIncluded, sentence, marked) => {
  const premises = await givenPremises({ tokenHost: false })
  // The module finds its folder without the configuration, like a hardware token.
  if (!isIncluded) premises.configure({ hsm: { softhsmConf: undefined, tokenDirectory: undefined } })
  vi.stubEnv('SOFTHSM2_CONF', premises.token.softhsmConf)
  onTestFinished(() => void vi.unstubAllEnvs())
  await premises.ask(['init'])
  const [folder, into] = [givenFolder(), join(givenFolder(), 'r')]
  const [file, pair] = [join(folder, 'b.age'), givenAgePair(folder)]
  if (isIncluded) makeVaultKey(premises.token)
  await premises.ask(['backup', 'create', file, '--recipient', pair.recipient])
  if (!isIncluded) makeVaultKey(premises.token)
  const kept = ['--pin-file', premises.token.pinFile, '--into', into]
  const keys = ['--identity', pair.identity, '--public-key', join(premises.auditDirectory, 'audit-public.pem')]
  const { stdout } = await premises.run(['backup', 'restore', file, ...keys, ...kept])
  expect(stdout).toMatch(sentence)
  const pending = ['SELECT count(*) FROM pending_destructions']
  expect(execFileSync('sqlite3', [join(into, premises.database), ...pending], { encoding: 'utf8' }).trim()).toBe(marked)
})
