import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { makePki } from '../../support/pki.ts'
import { makeToken, type TestToken } from '../../support/token.ts'

const entry = resolve(import.meta.dirname, '../../../dist/bin/strongroom.js')

export interface Outcome {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the compiled console as a shell would, without a terminal; what no run may ever print is checked on every run. */
export function strongroom(configFile: string, args: readonly string[], input = ''): Outcome {
  const command = [entry, '--config', configFile, ...args]
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { input, encoding: 'utf8' })
  expect(stderr).not.toMatch(/\n\s+at |node_modules|\.js:\d+/)
  return { status, stdout, stderr }
}

/** An appliance that nobody has started: token, certificate and configuration, and no database yet. */
export interface Premises {
  readonly directory: string
  readonly configFile: string
  readonly token: TestToken
  readonly auditDirectory: string
  readonly database: string
  cleanup(): void
  run(args: readonly string[], input?: string): Outcome
  /** The JSON document of a command that must succeed. */
  // oxlint-disable-next-line typescript/no-explicit-any -- each test knows the shape of what it asks for
  ask(args: readonly string[], input?: string): any
  /** Writes the configuration anew with these settings over it. */
  configure(settings: Readonly<Record<string, Readonly<Record<string, unknown>>>>): void
}

export async function givenPremises(): Promise<Premises> {
  const premises = await makePremises()
  onTestFinished(() => premises.cleanup())
  return premises
}

/** For a whole file of tests, which cleans up itself. */
export async function makePremises(): Promise<Premises> {
  const directory = mkdtempSync(join(tmpdir(), 'strongroom-console-'))
  const token = await makeToken()
  mkdirSync(join(directory, 'data'), { mode: 0o700 })
  mkdirSync(join(directory, 'run'), { mode: 0o700 })
  const pki = makePki(join(directory, 'tls'))
  const configFile = join(directory, 'strongroom.json')
  const own = {
    http: { host: '127.0.0.1', port: 1 },
    tls: { certificate: pki.certificate, key: pki.key },
    hsm: {
      module: token.module,
      token: token.tokenUri,
      pinFile: token.pinFile,
      softhsmConf: token.softhsmConf,
      tokenDirectory: token.tokenDirectory,
      sockets: [join(directory, 'run/1.sock')],
    },
    store: { sqlite: join(directory, 'data/strongroom.db') },
    audit: { directory: join(directory, 'data/audit') },
    login: { argon2: { memoryKiB: 8192, passes: 1 } },
  }
  const premises: Premises = {
    directory,
    configFile,
    token,
    auditDirectory: own.audit.directory,
    database: own.store.sqlite,
    cleanup() {
      token.cleanup()
      rmSync(directory, { recursive: true, force: true })
    },
    run: (args, input) => strongroom(configFile, args, input),
    ask(args, input) {
      const { status, stdout, stderr } = premises.run(['--json', ...args], input)
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
      return JSON.parse(stdout)
    },
    configure(settings) {
      const sections = Object.entries(settings).map(([name, section]) => [
        name,
        { ...own[name as keyof typeof own], ...section },
      ])
      writeFileSync(configFile, JSON.stringify({ ...own, ...Object.fromEntries(sections) }))
    },
  }
  premises.configure({})
  return premises
}

/** The same after `strongroom init`. */
export async function givenInitialised(): Promise<Premises> {
  const premises = await givenPremises()
  premises.ask(['init'])
  return premises
}

export const passphrase = 'a pass phrase for tests'

export function addUser(premises: Premises, name: string, ...more: string[]): void {
  const details = ['--fullname', `User ${name}`, '--email', `${name}@example.test`, '--passphrase-file', '-']
  premises.ask(['user', 'add', name, ...details, ...more], passphrase)
}

/** Operation and outcome of every event in the console's chain. */
export function recorded({ auditDirectory }: Premises): [operation: string, outcome: string, subject: string][] {
  return readFileSync(join(auditDirectory, 'console.000001.jsonl'), 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, operation] = /"operation":"(console[^"]*)"/.exec(line) ?? []
      const [, outcome = ''] = /"outcome":"([^"]*)"/.exec(line) ?? []
      const [, subject = ''] = /"subject":"([^"]*)"/.exec(line) ?? []
      return operation === undefined ? [] : [[operation, outcome, subject]]
    })
}
