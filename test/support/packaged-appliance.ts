import { chmodSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { Machine } from './machine.ts'

const mainJob = resolve(import.meta.dirname, '../../scripts/main-job.mjs')
const passphrase = 'seven white herons over the harbour'

/**
 * Copies the package and downloads its dependencies into the machine, so that it can be installed without a network.
 * Resolves to its file name.
 */
export async function bringPackage(machine: Machine, file: string): Promise<string> {
  const name = basename(file)
  copyFileSync(file, join(machine.root, 'root', name))
  // Only the download uses this computer's network. The daemon uses the machine's own.
  await machine.must(
    `apt-get -q update && apt-get -q -y install --no-install-recommends --download-only ./${name} man-db`,
    { online: true },
  )
  return name
}

/** Copies the package into the machine and installs it like an operator. Resolves to the output. */
export async function installPackage(machine: Machine, file: string): Promise<string> {
  const name = await bringPackage(machine, file)
  return machine.must(`apt-get -q -y install --no-install-recommends ./${name} man-db 2>&1`)
}

/** The commands that the package's final message tells, without a terminal. */
export const administratorLines = [
  `printf '${passphrase}' | strongroom user add admin --fullname Administrator --email admin@example.org --admin --passphrase-file -`,
  'strongroom --json otp enroll admin --totp >otp.json',
  "strongroom --json apikey create 'first application' >apikey.json",
]

/** After these lines: keeps the credentials that they made, for the main job. */
export function keepCredentials({ root }: Machine): void {
  const made = (file: string) => JSON.parse(readFileSync(join(root, 'root', file), 'utf8')) as Record<string, string>
  const credentials = {
    username: 'admin',
    passphrase,
    totpSecret: made('otp.json')['secret'],
    applicationKey: made('apikey.json')['key'],
  }
  writeFileSync(join(root, 'root/credentials.json'), JSON.stringify(credentials))
  copyFileSync(mainJob, join(root, 'root/main-job.mjs'))
}

export async function makeAdministrator(machine: Machine): Promise<void> {
  for (const line of administratorLines) await machine.must(line)
  keepCredentials(machine)
}

/** The main job over TLS: log in, make a vault, encrypt, rotate, decrypt, also the ciphertexts of earlier runs. */
export const mainJobLine = (port = 443): string =>
  `/usr/lib/strongroom/node/bin/node main-job.mjs --url https://127.0.0.1:${port} --ca /etc/strongroom/tls/ca.pem --credentials credentials.json --keep kept.json`

export const databaseUrl = 'postgres://strongroom:p@127.0.0.1/strongroom'

/** Installs Debian's PostgreSQL in the machine, with an empty database. */
export async function givenPostgres(machine: Machine): Promise<void> {
  await machine.must('apt-get -q -y install --no-install-recommends postgresql', { online: true })
  await machine.must(
    `su postgres -c "psql -qc \\"CREATE ROLE strongroom LOGIN PASSWORD 'p'\\" -c 'CREATE DATABASE strongroom OWNER strongroom'"`,
  )
}

/**
 * Copies to /root of another machine: these files, the credentials of the first day, and the secrets that no backup
 * contains.
 */
export function carryKept(from: Machine, to: Machine, files: readonly string[]): void {
  const there = join(to.root, 'root')
  for (const name of [...files, 'credentials.json', 'main-job.mjs'])
    copyFileSync(join(from.root, 'root', name), join(there, name))
  for (const name of ['pin', 'tls-key']) {
    copyFileSync(join(from.root, 'etc/strongroom/credentials', name), join(there, name))
    chmodSync(join(there, name), 0o400)
  }
  writeFileSync(join(there, 'postgres-url'), databaseUrl, { mode: 0o400 })
}
