import { Command, CommanderError, type OutputConfiguration } from 'commander'
import { readFileSync } from 'node:fs'
import { addCompletion } from './commands/completion.ts'
import { addDecrypt } from './commands/decrypt.ts'
import { addDownload } from './commands/download.ts'
import { addEncrypt } from './commands/encrypt.ts'
import { addSign } from './commands/sign.ts'
import { addUpload } from './commands/upload.ts'
import { addFind } from './commands/find.ts'
import { addGenerate } from './commands/generate.ts'
import { addGet } from './commands/get.ts'
import { addLogin } from './commands/login.ts'
import { addLogout } from './commands/logout.ts'
import { addRun } from './commands/run.ts'
import { addSet } from './commands/set.ts'
import { addTemplate } from './commands/template.ts'
import { addVaults } from './commands/vaults.ts'
import { exitCodeOf, exitCodes, sentenceOf } from './exit-code.ts'
import { createTerminal, type Streams } from './terminal.ts'

const help = `
A reference is VAULT/OBJECT/FIELD, with the folders of the object between vault and object. Each part is a name, or
id:NUMBER; in a name %2F stands for a slash.

Exit codes:
  0  done
  1  the command was refused
  2  the command line cannot be used
  3  the token of the appliance cannot be used
  4  the database of the appliance cannot be used
  6  the audit trail of the appliance cannot be written
  7  there is no session, or it has ended: log in
  8  the appliance cannot be reached, or asks to come back later

Up to 6 they mean the same as those of strongroom, the console of the appliance.

Environment:
  STRONGROOM_URL   address of the appliance, where --url is not given
  XDG_CONFIG_HOME  settings lie in strongroom-cli below it, else below ~/.config

Examples:
  strongroom-cli login --url https://vault.example.com --username alice
  strongroom-cli get Servers/db1/password
  strongroom-cli run --env DB_PASSWORD=Servers/db1/password -- ./report`

const commands = [
  addLogin,
  addLogout,
  addVaults,
  addFind,
  addGet,
  addSet,
  addGenerate,
  addUpload,
  addDownload,
  addEncrypt,
  addDecrypt,
  addSign,
  addRun,
  addTemplate,
  addCompletion,
]

/** The whole command line. */
export function createProgram(output: OutputConfiguration = {}): Command {
  const program = new Command('strongroom-cli')
    .description('read and keep secrets in a Strongroom vault, from any machine')
    .version(versionLine())
    .option('--url <address>', 'the appliance; that of the last login when absent')
    .option('--json', 'answer with one JSON document')
    .addHelpText('after', help)
    .showHelpAfterError('Try --help.')
    .exitOverride()
    // Set before the commands are added, because they inherit it.
    .configureOutput(output)
  for (const addTo of commands) addTo(program)
  return program
}

function versionLine(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of this package
  return `strongroom-cli ${(JSON.parse(text) as { version: string }).version}`
}

/** Runs one command and resolves to its exit code. */
export async function runProgram(args: readonly string[], streams: Streams): Promise<number> {
  const terminal = createTerminal(streams)
  let exitCode: number = exitCodes.done
  const program = createProgram({
    writeOut: (text) => void streams.stdout.write(text),
    writeErr: (text) => void streams.stderr.write(text),
    outputError: (text, write) => write(withoutValues(text)),
  })
  program.setOptionValue('terminal', terminal)
  program.setOptionValue('finish', (code: number) => (exitCode = code))
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    // Commander has already printed its message.
    if (!(error instanceof CommanderError)) terminal.complain(`strongroom-cli: ${sentenceOf(error)}`)
    return exitCodeOf(error)
  }
}

/** Hides the values of options in messages (`--password=…`), because a person may have typed a secret there. */
const withoutValues = (text: string): string => text.replaceAll(/(--[\w-]+)=[^']*/g, '$1=…')
