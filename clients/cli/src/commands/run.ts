import type { Command } from 'commander'
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { connect, type Connection } from '../connection.ts'
import { Refusal, UsageError } from '../exit-code.ts'
import { several, type Invocation } from '../invocation.ts'
import { createLookup } from '../lookup.ts'
import { readFieldReference, type FieldPlace } from '../reference.ts'

export function addRun(program: Command): void {
  program
    .command('run')
    .description('run a command with secrets in its environment, and in that of no other')
    .argument('<command...>', 'the command and its arguments, behind --')
    .option('--env <name=reference>', 'a variable and the field that it holds; may be repeated', several)
    .addHelpText(
      'after',
      `
The secrets are in the environment of the command, and of what it starts, and nowhere else. Its exit code is that of
the command; 127 where there is no such program, 126 where it cannot be run.

Example:
  strongroom-cli run --env DB_PASSWORD=Servers/db1/password -- ./report --yesterday`,
    )
    .action(run)
}

interface Variable {
  readonly name: string
  readonly reference: FieldPlace
}

async function run(
  this: Command,
  [file = '', ...args]: string[],
  { env = [] }: { env?: readonly string[] },
): Promise<void> {
  const { url, terminal, finish } = this.optsWithGlobals<Invocation>()
  if (env.length === 0) throw new UsageError('Give --env NAME=VAULT/OBJECT/FIELD at least once.')
  const variables = env.map(readVariable)
  const secrets = await valuesOf(connect(url, terminal), variables)
  finish(await execute(file, args, { ...process.env, ...secrets }))
}

function readVariable(text: string): Variable {
  const [, name, reference] = /^([A-Za-z_][A-Za-z0-9_]*)=(.+)$/s.exec(text) ?? []
  if (name === undefined || reference === undefined)
    throw new UsageError(`${text} names no variable: write --env NAME=VAULT/OBJECT/FIELD.`)
  return { name, reference: readFieldReference(reference) }
}

/** Reads all values before the command starts. The connection is then closed and the session saved. */
async function valuesOf(connection: Connection, variables: readonly Variable[]): Promise<Record<string, string>> {
  try {
    const lookup = createLookup(connection.client)
    const values: Record<string, string> = {}
    for (const { name, reference } of variables) {
      const value = await lookup.value(reference)
      if (value.includes('\0')) throw new Refusal(`The value for ${name} holds a NUL, which no environment can.`)
      values[name] = value
    }
    return values
  } finally {
    connection.close()
  }
}

/** Signals that are passed to the command. This program ends when the command ends. */
const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

function execute(file: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve, reject) => {
    // A terminal sends SIGINT and SIGQUIT to both processes. A signal to this process only is passed on.
    const pass = (signal: NodeJS.Signals): void => void child.kill(signal)
    for (const signal of passedOn) {
      const others = process.listeners(signal)
      // Set before the command starts. A signal without a listener would end this process and leave the command
      // running.
      process.on(signal, pass)
      for (const listener of others) process.off(signal, listener)
    }
    const child = spawn(file, args, { env, stdio: 'inherit' })
    child.once('error', (cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ENOENT') return resolve(told(`There is no program ${file}.`, 127))
      if (cause.code === 'EACCES') return resolve(told(`${file} cannot be run: permission denied.`, 126))
      return reject(new Refusal(`${file} cannot be run: ${cause.code ?? 'an unknown error'}.`, { cause }))
    })
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])))
  })
}

function told(sentence: string, exitCode: number): number {
  process.stderr.write(`strongroom-cli: ${sentence}\n`)
  return exitCode
}
