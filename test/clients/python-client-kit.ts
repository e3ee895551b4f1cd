import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import type { TestAppliance, TestUser } from '../support/appliance.ts'
import { commonPki } from '../support/pki.ts'
import { makeVault } from '../support/vault.ts'

const root = resolve(import.meta.dirname, '../..')
export const clientFolder = join(root, 'clients/python')
export const testFolder = join(import.meta.dirname, 'python')

/** Debian's own: what others are installed beside it has no httpx. */
const interpreter = '/usr/bin/python3'

/** Runs Debian's Python where the package is found. */
export function python(args: readonly string[], more: Readonly<Record<string, string>> = {}): string {
  const env = { ...process.env, PYTHONPATH: `${clientFolder}:${testFolder}`, PYTHONDONTWRITEBYTECODE: '1', ...more }
  return execFileSync(interpreter, args, { env, encoding: 'utf8', maxBuffer: 1e8, stdio: ['ignore', 'pipe', 'pipe'] })
}

/** What a program says of a person at the login. */
export const personOf = ({ applicationKey }: TestAppliance, { username, passphrase }: TestUser) => ({
  username,
  passphrase,
  application_key: applicationKey,
})

/** What tests in Python begin with: a person with a vault. */
export async function premisesOf(appliance: TestAppliance) {
  const user = await appliance.addUser()
  const { id } = await makeVault(appliance, 'Python', await appliance.login(user))
  return {
    url: appliance.url,
    ca: commonPki().ca,
    vault: id,
    userid: user.id,
    credentials: personOf(appliance, user),
    otps: Array.from({ length: 20 }, () => user.hardwareToken.press()),
  }
}

/** Each test of a file of Python becomes one here; all run in one process, whose premises are these. */
export function pythonTests(module: string, premises: () => object): void {
  const text = readFileSync(join(testFolder, `${module}.py`), 'utf8')
  let outcomes: Record<string, string | null> | undefined
  for (const [, name = ''] of text.matchAll(/^ {4}def (test_\w+)/gm))
    it(
      name.slice('test_'.length).replaceAll('_', ' '),
      () => {
        outcomes ??= JSON.parse(
          python([join(testFolder, 'tried.py'), module], { PREMISES: JSON.stringify(premises()) }),
        ) as Record<string, string | null>
        expect(outcomes[name]).toBeNull()
      },
      180_000,
    )
}
