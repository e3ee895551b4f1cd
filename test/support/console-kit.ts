import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { expect, onTestFinished } from 'vitest'
import { runConsole } from '../../src/console/program.ts'
import { keyMakerSocketOf } from '../../src/config/key-maker-socket.ts'
import { createTokenSupervisor } from '../../src/hsm/client/supervisor.ts'
import { createLog } from '../../src/log.ts'
import { makePki } from './pki.ts'
import { makeToken, type TestToken } from './token.ts'

const build = resolve(import.meta.dirname, '../../dist')
export const entry = join(build, 'bin/strongroom.js')

export interface Outcome {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the console in this process, like a shell without a terminal. */
export const strongroom = (configFile: string, args: readonly string[], input = ''): Promise<Outcome> =>
  run(configFile, args, input, false)

/** The same like a shell whose output is a terminal. */
export const strongroomOnTerminal = (configFile: string, args: readonly string[]): Promise<Outcome> =>
  run(configFile, args, '', true)

async function run(configFile: string, args: readonly string[], input: string, isTTY: boolean): Promise<Outcome> {
  const [stdout, stderr] = [new Sink(isTTY), new Sink(isTTY)]
  const stdin = Readable.from(input === '' ? [] : [Buffer.from(input)])
  const status = await runConsole(['--config', configFile, ...args], { stdin, stdout, stderr }, build)
  return checked({ status, stdout: stdout.text, stderr: stderr.text })
}

class Sink {
  text = ''
  readonly isTTY: boolean
  constructor(isTTY: boolean) {
    this.isTTY = isTTY
  }
  hasColors(): boolean {
    return this.isTTY
  }
  write(text: string): void {
    this.text += text
  }
}

/** Runs the console in its own process, for tests of exit codes, signals and standard input. */
export function strongroomProcess(configFile: string, args: readonly string[], input = ''): Outcome {
  const command = [entry, '--config', configFile, ...args]
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { input, encoding: 'utf8' })
  return checked({ status, stdout, stderr })
}

/** Checks that the run printed no stack trace. */
function checked(outcome: Outcome): Outcome {
  expect(outcome.stderr).not.toMatch(/\n\s+at |node_modules|\.[jt]s:\d+/)
  return outcome
}

/** An appliance whose daemon was not started: token, certificate and configuration, without a database. */
export interface Premises {
  readonly directory: string
  readonly configFile: string
  readonly token: TestToken
  readonly auditDirectory: string
  readonly database: string
  cleanup(): Promise<void>
  /** Runs a command in this process. */
  run(args: readonly string[], input?: string): Promise<Outcome>
  /** Runs a command in its own process. */
  runProcess(args: readonly string[], input?: string): Outcome
  /** The JSON output of a command that must succeed. */
  // oxlint-disable-next-line typescript/no-explicit-any -- each test knows the shape of what it asks for
  ask(args: readonly string[], input?: string): Promise<any>
  /** Rewrites the configuration with these settings in place of its own. */
  configure(settings: Readonly<Record<string, Readonly<Record<string, unknown>>>>): void
}

export interface PremisesOptions {
  /** Whether one token host serves all commands; otherwise each command starts its own. Default: true. */
  readonly tokenHost?: boolean
}

export async function givenPremises(options?: PremisesOptions): Promise<Premises> {
  const premises = await makePremises(options)
  onTestFinished(() => premises.cleanup())
  return premises
}

/** For a whole test file, which removes it itself. */
export async function makePremises({ tokenHost = true }: PremisesOptions = {}): Promise<Premises> {
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
      rsaKeysAhead: 0,
      keeper: {
        socket: join(directory, 'run/keeper.sock'),
        operatorSocket: join(directory, 'run/operator.sock'),
        state: join(directory, 'data/keeper.sqlite'),
      },
    },
    store: { sqlite: join(directory, 'data/strongroom.db') },
    audit: { directory: join(directory, 'data/audit') },
    login: { argon2: { memoryKiB: 8192, passes: 1 } },
  }
  let closeHost = () => Promise.resolve()
  const premises: Premises = {
    directory,
    configFile,
    token,
    auditDirectory: own.audit.directory,
    database: own.store.sqlite,
    async cleanup() {
      await closeHost()
      token.cleanup()
      rmSync(directory, { recursive: true, force: true })
    },
    run: (args, input) => strongroom(configFile, args, input),
    runProcess: (args, input) => strongroomProcess(configFile, args, input),
    async ask(args, input) {
      const { status, stdout, stderr } = await premises.run(['--json', ...args], input)
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
  if (tokenHost) closeHost = await startTokenHost(directory, own)
  return premises
}

/** Starts a token host at the configured socket for all commands. Resolves to a function that ends it. */
async function startTokenHost(
  directory: string,
  configuration: {
    readonly hsm: {
      readonly sockets: readonly string[]
      readonly keeper: { readonly socket: string; readonly operatorSocket: string }
    }
  },
): Promise<() => Promise<void>> {
  const configFile = join(directory, 'token-host.json')
  writeFileSync(configFile, JSON.stringify({ ...configuration, log: { level: 'fatal' } }))
  const supervisor = createTokenSupervisor({
    configFile,
    sockets: configuration.hsm.sockets,
    keyMakerSocket: keyMakerSocketOf({ sockets: [...configuration.hsm.sockets] }),
    keeper: configuration.hsm.keeper,
    // A busy machine takes many seconds to start a host.
    deadlineMs: 60_000,
    log: createLog({ level: 'fatal', name: 'console tests' }),
    programs: join(build, 'bin'),
  })
  expect((await supervisor.start()).map(({ state }) => state)).toEqual(['ready', 'ready', 'ready'])
  return () => supervisor.close()
}

/** Premises after `strongroom init`. */
export async function givenInitialised(options?: PremisesOptions): Promise<Premises> {
  const premises = await givenPremises(options)
  await premises.ask(['init'])
  return premises
}

export const passphrase = 'a pass phrase for tests'

export async function addUser(premises: Premises, name: string, ...more: string[]): Promise<void> {
  const details = ['--fullname', `User ${name}`, '--email', `${name}@example.test`, '--passphrase-file', '-']
  await premises.ask(['user', 'add', name, ...details, ...more], passphrase)
}

/** Operation, outcome and subject of every event in the console's chain. */
export function recorded({
  auditDirectory,
}: Pick<Premises, 'auditDirectory'>): [operation: string, outcome: string, subject: string][] {
  return readFileSync(join(auditDirectory, 'console.000001.jsonl'), 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, operation] = /"operation":"(console[^"]*)"/.exec(line) ?? []
      const [, outcome = ''] = /"outcome":"([^"]*)"/.exec(line) ?? []
      const [, subject = ''] = /"subject":"([^"]*)"/.exec(line) ?? []
      return operation === undefined ? [] : [[operation, outcome, subject]]
    })
}
