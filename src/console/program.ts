import { Command, CommanderError, type OutputConfiguration } from 'commander'
import { exitCodeOf, exitCodes, sentenceOf } from './exit-code.ts'
import type { Invocation } from './invocation.ts'
import { createTerminal, type OutputStream, type Streams } from './output/terminal.ts'
import { defaultConfigFile } from '../config/default-file.ts'
import { versionLine } from '../release.ts'
import { addVersion } from './version.ts'

const help = `
Exit codes:
  0  done; for doctor and audit verify: nothing is wrong
  1  a check found something, or the command was refused
  2  the command line or the configuration cannot be used
  3  the token cannot be used
  4  the database cannot be used
  6  the audit trail cannot be written

The codes mean the same as those of strongroomd; 5 (the port cannot be listened on) is only used by the daemon.

Examples:
  strongroom init
  strongroom user add alice --fullname 'Alice Example' --email alice@example.org
  strongroom otp enroll alice --totp
  strongroom doctor --json | jq '.findings[] | select(.state != "ok")'

Every command that changes something is recorded in the audit trail.`

type Add = (parent: Command) => void

/** A group of commands. They are loaded only when needed: all of them together have two thousand files. */
interface Noun {
  readonly name: string
  readonly description: string
  readonly load: () => Promise<{ readonly verbs: readonly Add[] }>
}

const nouns: readonly Noun[] = [
  { name: 'user', description: 'people who may log in', load: () => import('./user/verbs.ts') },
  {
    name: 'service',
    description: 'accounts of applications that run unattended',
    load: () => import('./service/verbs.ts'),
  },
  { name: 'session', description: 'who is logged in', load: () => import('./session/verbs.ts') },
  {
    name: 'vault',
    description: 'vaults: who shares them, never what is in them',
    load: () => import('./vault/verbs.ts'),
  },
  { name: 'apikey', description: 'application keys, a part of every login', load: () => import('./apikey/verbs.ts') },
  { name: 'otp', description: 'second factors', load: () => import('./otp/verbs.ts') },
  { name: 'usercert', description: 'smartcards', load: () => import('./usercert/verbs.ts') },
  {
    name: 'validator',
    description: 'programs that have one-time passwords checked',
    load: () => import('./validator/verbs.ts'),
  },
  { name: 'template', description: 'forms of objects', load: () => import('./template/verbs.ts') },
  { name: 'token', description: 'the hardware security module', load: () => import('./token/verbs.ts') },
  {
    name: 'root-keys',
    description: 'the keys in the token that everything lies below',
    load: () => import('./root-keys/verbs.ts'),
  },
  { name: 'backup', description: 'backups of the whole appliance', load: () => import('./backup/verbs.ts') },
  {
    name: 'backup-keys',
    description: 'keys that let another appliance restore backups of keys',
    load: () => import('./backup-keys/verbs.ts'),
  },
  {
    name: 'database',
    description: 'the database, after it was restored by hand',
    load: () => import('./database/verbs.ts'),
  },
  { name: 'migrate', description: 'moves to another database or token', load: () => import('./migrate/verbs.ts') },
  {
    name: 'transparent',
    description: 'named keys of vaults, which encrypt and sign',
    load: () => import('./transparent/verbs.ts'),
  },
  { name: 'audit', description: 'the audit trail', load: () => import('./audit/verbs.ts') },
]

/** A command that is listed before or after the groups. */
interface Verb {
  readonly name: string
  /** Its text in the list of commands. */
  readonly summary: string
  readonly load: () => Promise<Add>
}

const init: Verb = {
  name: 'init',
  summary: 'make the root keys in the token, and the database',
  load: async () => (await import('./init.ts')).addInit,
}

const doctor: Verb = {
  name: 'doctor',
  summary: 'check everything, and say what to do',
  load: async () => (await import('./doctor.ts')).addDoctor,
}

/**
 * Creates the command line. The list of commands is always complete, but only commands for which `isCalledFor` is true
 * are loaded.
 */
export async function createProgram(
  output: OutputConfiguration = {},
  isCalledFor: (name: string) => boolean = () => true,
): Promise<Command> {
  const program = new Command('strongroom')
    .description('set up and look after a Strongroom appliance')
    .version(versionLine('strongroom'))
    .option('--config <file>', 'configuration file', defaultConfigFile)
    .option('--json', 'answer with one JSON document')
    .addHelpText('after', help)
    .showHelpAfterError('Try --help.')
    .exitOverride()
    // Configured before the commands are added, because they inherit it.
    .configureOutput(output)
  const addVerb = async ({ name, summary, load }: Verb): Promise<void> => {
    if (isCalledFor(name)) (await load())(program)
    else program.command(name)
    program.commands.at(-1)?.summary(summary)
  }
  await addVerb(init)
  for (const { name, description, load } of nouns) {
    const noun = program.command(name).description(description)
    if (isCalledFor(name)) for (const add of (await load()).verbs) add(noun)
  }
  await addVerb(doctor)
  addVersion(program)
  return program
}

/**
 * Runs one command and resolves to its exit code. `args` are the arguments after the program's name; `build` is the
 * folder of the compiled product.
 */
export async function runConsole(args: readonly string[], streams: Streams, build: string): Promise<number> {
  const { stdout, stderr } = streams
  const terminal = createTerminal(streams)
  let exitCode: number = exitCodes.done
  const program = await createProgram(
    {
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      getOutHelpWidth: () => widthOf(stdout),
      getErrHelpWidth: () => widthOf(stderr),
    },
    (name) => args.includes(name),
  )
  const surroundings: Omit<Invocation, 'config' | 'json'> = {
    terminal,
    build,
    finish: (code) => (exitCode = code),
  }
  for (const [name, value] of Object.entries(surroundings)) program.setOptionValue(name, value)
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    // Commander has already printed its own errors.
    if (!(error instanceof CommanderError)) terminal.complain(`strongroom: ${sentenceOf(error)}`)
    return exitCodeOf(error)
  }
}

// Commander uses 80 columns if the width is unknown.
const widthOf = ({ isTTY, columns }: OutputStream): number => (isTTY === true ? columns : undefined) ?? 80
