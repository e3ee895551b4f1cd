import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join, resolve } from 'node:path'
import { exportPKCS8 } from 'jose'
import type { GrantEntry } from '../../src/access/scope.ts'
import type { TestAppliance, TestUser } from '../support/appliance.ts'
import { makePair } from '../support/assertion-kit.ts'
import type { TestClient } from '../support/client.ts'
import { ran, type Ran } from '../support/machine-process.ts'
import { addCredential, addService, asked } from '../support/service-kit.ts'
import { clientFolder } from './python-client-kit.ts'

const root = resolve(import.meta.dirname, '../..')

export type Environment = Readonly<Record<string, string>>

/** Where programs of the examples lie beside the packages that they import. */
export function examplesFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'examples-'))
  const client = join(folder, 'node_modules/@strongroom/client')
  mkdirSync(client, { recursive: true })
  cpSync(join(root, 'clients/node/package.json'), join(client, 'package.json'))
  execFileSync(join(root, 'node_modules/.bin/tsc'), [
    '-p',
    join(root, 'clients/node'),
    '--outDir',
    join(client, 'dist'),
  ])
  symlinkSync(join(root, 'node_modules/typeorm'), join(folder, 'node_modules/typeorm'))
  cpSync(join(root, 'clients/node/examples'), folder, { recursive: true })
  cpSync(join(clientFolder, 'examples'), folder, { recursive: true, filter: (path) => !path.includes('__pycache__') })
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  return folder
}

interface Owner {
  readonly appliance: TestAppliance
  readonly user: TestUser
  readonly client: TestClient
  readonly vault: string
  readonly folder: string
}

let written = 0

/** What an application finds in its environment: an account of its own, which may do in the owner's vault what these grants say. */
export async function applicationOf(
  { appliance, user, client, vault, folder }: Owner,
  grants: readonly GrantEntry[],
): Promise<Environment> {
  const account = await addService(appliance, user)
  const pair = await makePair('EdDSA')
  await addCredential(appliance, account, { ...asked, kind: 'jwt', publicKey: pair.jwk, kid: null })
  await client.must('POST', `/vault/${vault}/member/${account.id}`, { status: 1, grants })
  const [key, ca] = [join(folder, `account-${++written}.pem`), join(folder, 'ca.pem')]
  writeFileSync(key, await exportPKCS8(pair.privateKey), { mode: 0o600 })
  writeFileSync(ca, appliance.ca)
  return {
    STRONGROOM_URL: appliance.url,
    STRONGROOM_CA: ca,
    STRONGROOM_ACCOUNT: account.name,
    STRONGROOM_KEY: key,
    STRONGROOM_VAULT: vault,
  }
}

const interpreters: Readonly<Record<string, readonly string[]>> = {
  '.js': [process.execPath],
  '.py': ['/usr/bin/python3'],
}

/** Runs a program of the folder: `node x.js …`, Debian's Python or a script of the shell; beside this process, which may watch. */
export function runExample(
  folder: string,
  [file = '', ...args]: readonly string[],
  env: Environment = {},
  input = '',
): Promise<Ran> {
  const interpreter = interpreters[extname(file)] ?? []
  const [program = '', ...words] = [...interpreter, join(folder, file), ...args]
  const python = { PYTHONPATH: clientFolder, PYTHONDONTWRITEBYTECODE: '1' }
  return ran(program, words, input, { cwd: folder, env: { ...process.env, ...python, ...env } })
}
