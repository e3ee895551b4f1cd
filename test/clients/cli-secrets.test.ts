import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestUser } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import { fillWithLong } from '../support/long-objects.ts'
import { createObject, server } from '../support/object-kit.ts'
import { makeVault, type TestVault } from '../support/vault.ts'
import { commandLineFolder, machineOf, type Machine } from './cli-kit.ts'

const appliance = applianceForTests()
let user: TestUser
let machine: Machine
let vault: TestVault
beforeAll(async () => {
  user = await appliance.addUser()
  vault = await makeVault(appliance, 'Databases', await appliance.login(user))
  await createObject(vault.admin, vault.id, { objectname: 'db1' })
  machine = await machineOf(appliance, user)
})
afterAll(() => machine.remove())

describe('strongroom-cli set', () => {
  it('takes a value from standard input, without the line break at its end', async () => {
    const id = await createObject(vault.admin, vault.id, { objectname: 'changing' })
    expect(await machine.must(['set', 'Databases/changing/password'], { input: 'N3w-Pass.phrase\n' })).toBe(
      `Changed Databases/changing/password (id:${id}).\n`,
    )
    expect(await machine.must(['get', 'Databases/changing/password'])).toBe('N3w-Pass.phrase\n')
    await machine.must(['set', 'Databases/changing/cryptedinfo'], { input: 'two\nlines\n\n' })
    expect(await machine.must(['get', 'Databases/changing/cryptedinfo', '--no-newline'])).toBe('two\nlines\n')
  })

  it('asks a person twice for a line, and refuses pasted lines, of which it would keep the first alone', async () => {
    await createObject(vault.admin, vault.id, { objectname: 'typed', password: 'As-1t-was' })
    const args = ['set', 'Databases/typed/password']
    const twice = (answer: string) => [['Value: ', answer] as const, ['Value again: ', answer] as const]
    const pasted = await machine.atTerminal(args, twice('-----BEGIN\nM1ddle\n-----END\n'))
    expect(pasted).toMatchObject({ status: 2, stdout: expect.stringMatching(/several lines.* set REFERENCE < FILE/s) })
    expect(pasted.stdout).not.toContain('M1ddle')
    const unfinished = await machine.atTerminal(args, twice('first\nsecond'))
    expect(unfinished).toMatchObject({ status: 2, stdout: expect.stringContaining('several lines') })
    expect(await machine.must(['get', 'Databases/typed/password'])).toBe('As-1t-was\n')
    expect(await machine.atTerminal(args, twice('T1ped-Pass.phrase\r'))).toMatchObject({ status: 0 })
    expect(await machine.must(['get', 'Databases/typed/password'])).toBe('T1ped-Pass.phrase\n')
  })

  it('makes an object of a template, in a folder too, and none twice', async () => {
    await createObject(vault.admin, vault.id, { templateid: '2', name: 'Prod', objectname: 'Prod' })
    const args = [
      'set',
      'Databases/Prod/new/password',
      '--create',
      'Login',
      '--field',
      'host=h',
      '--field',
      'username=u=1',
    ]
    expect(await machine.must(args, { input: 'M4de-Pass.phrase' })).toContain('Made Databases/Prod/new/password')
    expect(await machine.must(['get', 'Databases/Prod/new/username'])).toBe('u=1\n')
    expect(await machine.run(args, { input: 'x' })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('already'),
    })
    const unknown = await machine.run(['set', 'Databases/other/password', '--create', 'Nothing'], { input: 'x' })
    expect(unknown).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/no template Nothing. There are: Server, /),
    })
  })

  it('is refused to a reader, who may read', async () => {
    const reader = await appliance.addUser()
    await vault.share(String(reader.id), 'Read')
    const own = await machineOf(appliance, reader)
    expect(await own.must(['get', 'Databases/db1/password'])).toBe(`${server.password}\n`)
    const { status, stderr } = await own.run(['set', 'Databases/db1/password'], { input: 'Stolen-Pass.1' })
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^strongroom-cli: .+\n$/)])
    expect(stderr).not.toContain('Stolen')
    expect(await own.must(['get', 'Databases/db1/password'])).toBe(`${server.password}\n`)
    own.remove()
  })

  it('takes a password that generate made', async () => {
    const password = await machine.must(['generate', '--length', '24'])
    expect(password).toMatch(/^\S{24}\n$/)
    expect((await machine.ask(['generate', '--type', 'pin', '--length', '6'])).password).toMatch(/^\d{6}$/)
    expect((await machine.must(['generate', '--type', 'diceword', '--words', '3'])).trim().split(' ')).toHaveLength(3)
    expect((await machine.run(['generate', '--type', 'nothing'])).status).toBe(2)
    expect((await machine.run(['generate', '--length', '99999'])).status).toBe(1)
  })
})

describe('secrets of strongroom-cli', () => {
  it('have no place on the command line, and what is typed there by mistake is not repeated', async () => {
    for (const args of [
      ['set', 'Databases/db1/password', 'hunter2'],
      ['set', 'Databases/db1/password', '--value=hunter2'],
      ['set', 'Databases/db9/password', '--create', 'Login', '--field', 'password=hunter2'],
      ['login', '--passphrase=hunter2'],
      ['login', '--otp=hunter2'],
    ]) {
      const { status, stdout, stderr } = await machine.run(args)
      expect([status, stdout, stderr]).toEqual([2, '', expect.not.stringContaining('hunter2')])
    }
  })

  it('are options of no command', async () => {
    const commands = readdirSync(join(commandLineFolder(), 'dist/commands')).map((name) => name.replace('.js', ''))
    expect(commands.length).toBeGreaterThan(9)
    for (const command of commands) {
      const help = await machine.must([command, '--help'])
      expect(help).toMatch(/Examples?:\n/)
      expect(help).not.toMatch(/--(value|password|passphrase|secret|token|otp|pin|application-key)\b(?!-file)/)
    }
  })
})

describe('strongroom-cli run', () => {
  const run = (command: readonly string[], env = ['PW=Databases/db1/password']) =>
    machine.run(['run', ...env.flatMap((one) => ['--env', one]), '--', ...command])

  it('gives secrets to the command, and its exit code back', async () => {
    expect(
      await run(['sh', '-c', 'printf %s "$PW:$WHERE"'], ['PW=Databases/db1/password', 'WHERE=Databases/db1/host']),
    ).toEqual({
      status: 0,
      stdout: `${server.password}:${server.host}`,
      stderr: '',
    })
    expect((await run(['sh', '-c', 'exit 42'])).status).toBe(42)
    expect((await run(['sh', '-c', 'kill -TERM $$'])).status).toBe(143)
    expect(await run(['printf', '%s\n', '--json', '--env', '$PW'])).toMatchObject({ stdout: '--json\n--env\n$PW\n' })
    expect(await run(['no-such-program'])).toMatchObject({
      status: 127,
      stderr: 'strongroom-cli: There is no program no-such-program.\n',
    })
    expect((await run([machine.write('plain', 'text')])).status).toBe(126)
  })

  it('starts nothing where one of the secrets is not there, or a name is none', async () => {
    const marker = join(machine.home, 'started')
    for (const [env, status] of [
      [['PW=Databases/db1/password', 'X=Databases/db9/password'], 1],
      [['1X=Databases/db1/password'], 2],
      [['PW'], 2],
      [[], 2],
    ] as const) {
      expect((await run(['touch', marker], [...env])).status).toBe(status)
    }
    expect(existsSync(marker)).toBe(false)
  })

  it('shows a secret to no other process: neither in its own environment nor on any command line', async () => {
    const child = spawn(
      machine.program,
      ['run', '--env', 'PW=Databases/db1/password', '--', 'sh', '-c', 'echo $$; read line'],
      { cwd: machine.home, env: machine.environment, stdio: ['pipe', 'pipe', 'inherit'] },
    )
    const ended = new Promise((resolve) => child.once('exit', resolve))
    const pid = await new Promise<string>((resolve) =>
      child.stdout.once('data', (text) => resolve(String(text).trim())),
    )
    const read = (file: string): string => readFileSync(`/proc/${file}`, 'utf8')
    expect(read(`${pid}/environ`)).toContain(`PW=${server.password}`)
    const parents = [child.pid, process.pid]
    for (const one of parents) expect(read(`${one}/environ`)).not.toContain(server.password)
    const token = machine.session ?? ''
    expect(token).not.toBe('')
    const lines = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => {
        try {
          return read(`${name}/cmdline`)
        } catch {
          return ''
        }
      })
    for (const secret of [server.password, token]) expect(lines.filter((line) => line.includes(secret))).toEqual([])
    expect(read(`${pid}/environ`)).not.toContain(token)
    // What ends the program ends the command.
    child.kill('SIGTERM')
    expect(await ended).toBe(143)
    expect(existsSync(`/proc/${pid}`)).toBe(false)
  })
})

it('gives fields to get, run and template that the list of a full vault leaves out', async () => {
  const full = await makeVault(appliance, 'Full', await appliance.login(user))
  await fillWithLong(full.admin, full.id, 'Bank of Ämål')
  const { OBJECTS } = await full.admin.must('GET', `/vault/${full.id}`)
  expect(OBJECTS).toContainEqual(expect.objectContaining({ objectname: 'Bank of Ämål', public: {}, abridged: true }))
  const field = 'Full/Bank of Ämål/service'
  expect(await machine.must(['get', field])).toBe('Bank of Ämål\n')
  expect(await machine.must(['run', '--env', `BANK=${field}`, '--', 'sh', '-c', 'printf %s "$BANK"'])).toBe(
    'Bank of Ämål',
  )
  expect(await machine.must(['template', '-'], { input: `{{ strongroom "${field}" }}` })).toBe('Bank of Ämål')
})

describe('strongroom-cli template', () => {
  const placeholder = '{{ strongroom "Databases/db1/password" }}'

  it('fills placeholders and leaves all else', async () => {
    const file = machine.write('app.in', `a={{ other }}\nb=${placeholder}\nc={{strongroom "Databases/db1/host"}}$\n`)
    expect(await machine.must(['template', file])).toBe(`a={{ other }}\nb=${server.password}\nc=${server.host}$\n`)
    expect(await machine.must(['template', '-'], { input: placeholder })).toBe(server.password)
  })

  it('does not look into what a secret holds', async () => {
    await createObject(vault.admin, vault.id, { objectname: 'nested', password: placeholder })
    const input = '{{ strongroom "Databases/nested/password" }}'
    expect(await machine.must(['template', '-'], { input })).toBe(placeholder)
  })

  it('writes a file for its owner alone, and replaces none that is there', async () => {
    const output = join(machine.home, 'app.conf')
    const args = ['template', '-', '--output', output]
    await machine.must(args, { input: placeholder })
    expect(readFileSync(output, 'utf8')).toBe(server.password)
    expect(statSync(output).mode & 0o777).toBe(0o600)
    expect(await machine.run(args, { input: 'new' })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('--force'),
    })
    await machine.must([...args, '--force'], { input: 'new' })
    expect(readFileSync(output, 'utf8')).toBe('new')
    expect(readdirSync(machine.home).filter((name) => name.endsWith('.part'))).toEqual([])
  })

  it('puts no file in the place of a pipe or device', async () => {
    const output = join(machine.home, 'pipe')
    execFileSync('mkfifo', [output])
    for (const args of [
      ['template', '-', '--output', output, '--force'],
      ['decrypt', 'Databases/key', '--output', output, '--force'],
      ['decrypt', 'Databases/key', '--output', output],
    ])
      expect(await machine.run(args, { input: placeholder })).toEqual({
        status: 1,
        stdout: '',
        stderr: `strongroom-cli: ${output} is no regular file: name another, or redirect standard output.\n`,
      })
    expect(statSync(output).isFIFO()).toBe(true)
  })

  it.each([
    ['a placeholder that is not closed', 'x\n{{ strongroom "Databases/db1/password" }', 2, /-:2: write/],
    ['a reference that is none', '{{ strongroom "Databases" }}', 2, /names no field/],
    ['a secret that is not there', `${placeholder}{{ strongroom "Databases/db1/pin" }}`, 1, /no field pin/],
    ['bytes that are no text', Buffer.from([0xff, 0xfe]), 2, /UTF-8/],
  ])('writes nothing for %s', async (_what, input, status, sentence) => {
    const output = join(machine.home, 'unwritten')
    const outcome = await machine.run(['template', '-', '--output', output], { input })
    expect(outcome).toEqual({ status, stdout: '', stderr: expect.stringMatching(sentence) })
    expect(existsSync(output)).toBe(false)
  })
})
