import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect } from 'vitest'
import type { TestAppliance, TestUser } from '../support/appliance.ts'
import { ran, type Ran } from '../support/machine-process.ts'

const root = resolve(import.meta.dirname, '../..')

let made: string | undefined
/** The folder that `scripts/package-cli` makes; once for the test files of a process. */
export function commandLineFolder(): string {
  if (made !== undefined) return made
  const folder = join(mkdtempSync(join(tmpdir(), 'cli-')), 'strongroom-cli')
  execFileSync(join(root, 'scripts/package-cli'), [folder], { stdio: 'pipe' })
  return (made = folder)
}

/** What a run is given beside its arguments. */
export interface RunOptions {
  readonly input?: string | Buffer
  readonly env?: Readonly<Record<string, string>>
}

/** A person's account on some machine: home, settings, and the program as it is installed. */
export class Machine {
  readonly home = mkdtempSync(join(tmpdir(), 'home-'))
  readonly program = join(commandLineFolder(), 'bin/strongroom-cli')
  readonly appliance: TestAppliance

  constructor(appliance: TestAppliance) {
    this.appliance = appliance
    this.write('ca.pem', appliance.ca)
  }

  get url(): string {
    return new URL(this.appliance.url).origin
  }

  /** The environment of every run: no keyring, because there is no session bus. */
  get environment(): Record<string, string> {
    const { PATH = '' } = process.env
    return { PATH: `${join(process.execPath, '..')}:${PATH}`, HOME: this.home, LANG: 'C.UTF-8' }
  }

  write(name: string, content: string | Buffer): string {
    const file = join(this.home, name)
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, content)
    return file
  }

  async run(args: readonly string[], { input = '', env = {} }: RunOptions = {}): Promise<Ran> {
    const place = { cwd: this.home, env: { ...this.environment, ...env } }
    const outcome = await ran(this.program, args, input, place)
    // No run may ever print a stack.
    expect(outcome.stderr).not.toMatch(/\n\s+at |node_modules|\.[jt]s:\d+/)
    return outcome
  }

  /** Standard output of a run that must succeed. */
  async must(args: readonly string[], options?: RunOptions): Promise<string> {
    const { status, stdout, stderr } = await this.run(args, options)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    return stdout
  }

  /** A run before a person, who answers each question with this; a terminal of util-linux stands for theirs. */
  atTerminal(args: readonly string[], answers: readonly (readonly [question: string, answer: string])[]): Promise<Ran> {
    const command = [this.program, ...args].map((word) => `'${word}'`).join(' ')
    const env = { ...this.environment, TERM: 'dumb' }
    const child = spawn('script', ['-qec', command, '/dev/null'], { cwd: this.home, env })
    const left = [...answers]
    let shown = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text
      const [next] = left
      if (next === undefined || !shown.endsWith(next[0])) return
      left.shift()
      child.stdin.write(next[1])
    })
    return new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (status) => resolve({ status: status ?? -1, stdout: shown, stderr: '' }))
    })
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- each test knows the shape of what it asks for
  async ask(args: readonly string[], options?: RunOptions): Promise<any> {
    return JSON.parse(await this.must(['--json', ...args], options))
  }

  /** Logs in as a person without a terminal would: application key, pass phrase, one-time password. */
  logIn(user: TestUser, otp = user.hardwareToken.press(), ...more: string[]): Promise<Ran> {
    const input = `${this.appliance.applicationKey}\n${user.passphrase}\n${otp}\n`
    const args = ['--url', this.url, 'login', '--username', user.username, '--ca', join(this.home, 'ca.pem'), ...more]
    return this.run(args, { input })
  }

  /** The token that the program keeps of its session. */
  get session(): string | undefined {
    const kept = readFileSync(join(this.home, '.config/strongroom-cli/secrets.json'), 'utf8')
    return (JSON.parse(kept) as Record<string, { session?: string }>)[this.url]?.session
  }

  remove(): void {
    rmSync(this.home, { recursive: true, force: true })
  }
}

/** A machine on which this user is logged in. */
export async function machineOf(appliance: TestAppliance, user: TestUser): Promise<Machine> {
  const machine = new Machine(appliance)
  const { status, stderr } = await machine.logIn(user)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return machine
}
