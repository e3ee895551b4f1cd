import type { Command } from 'commander'
import { loadConfig, readSecret } from '../../config/loader.ts'
import type { Config } from '../../config/schema.ts'
import { Fault } from '../../fault.ts'
import type { BackupSharingOptions } from '../../hsm/pkcs11/backup-sharing.ts'
import { isAnyServed } from '../../hsm/protocol/served-socket.ts'
import { UsageError } from '../exit-code.ts'
import type { Invocation } from '../invocation.ts'
import { firstLine, nameAnother, type Terminal } from '../output/terminal.ts'
import { rootCreationOf } from '../root-making.ts'

/** Help for all commands of the ceremony. */
const ceremonyHelp = `
Backups of keys can be restored wherever the same backup keys are. Two people pass them on, one at each
appliance, who know each other's voice and read 32 digits to each other, twice. Each has the SO PIN of his
appliance.

Examples:
  there$ strongroom backup-keys invite --out request        (stop its daemon before)
         reads the digits of the request aloud
  here$  strongroom backup-keys share request --out package
         types them, then reads the digits of the package aloud
  there$ strongroom backup-keys adopt package
         types them, then starts the daemon

Between invite and adopt the token there has a PIN that no person knows; adopt, or adopt --abandon, gives it back.`

const soPinFile = ['--so-pin-file <file>', 'the SO PIN, - for standard input; asked for without it'] as const
const digestOption = ['--digest <digits>', 'what the other operator has read aloud; asked for without it'] as const

/** Adds the options of all commands of the ceremony. */
export function ofCeremony(command: Command): Command {
  return command.option(...soPinFile).addHelpText('after', ceremonyHelp)
}

/** Adds the options of the two commands that get digits from the other operator. */
export function ofCeremonyWithDigits(command: Command): Command {
  return ofCeremony(command.option(...digestOption))
}

export interface CeremonyFlags {
  readonly soPinFile?: string
  readonly digest?: string
}

export async function ceremonyOptions(
  invocation: Invocation,
  flags: CeremonyFlags,
): Promise<{ config: Config; options: BackupSharingOptions }> {
  const config = loadConfig(invocation.config)
  return {
    config,
    options: { ...rootCreationOf(invocation, config), soPin: await soPin(invocation.terminal, flags) },
  }
}

/** The current SO PIN, from the file that the command line names or from the terminal. */
export async function soPin(
  terminal: Terminal,
  { soPinFile: file }: Pick<CeremonyFlags, 'soPinFile'>,
): Promise<string> {
  if (file === '-') return firstLine(await terminal.standardInput())
  if (file !== undefined) return readSecret(file, nameAnother)
  requireTerminal(terminal, 'the SO PIN', '--so-pin-file FILE')
  return terminal.askSecret('SO PIN: ')
}

export async function heardDigest(terminal: Terminal, { digest }: CeremonyFlags, of: string): Promise<string> {
  if (digest !== undefined) return digest
  requireTerminal(terminal, 'the digits', '--digest DIGITS')
  return terminal.ask(`Digits of the ${of}, as the other operator reads them: `)
}

function requireTerminal({ isInteractive }: Terminal, what: string, flag: string): void {
  if (!isInteractive) throw new UsageError(`There is no terminal to ask for ${what}: give ${flag}.`)
}

/** Token hosts must be stopped, because they would stay logged in while the PIN changes. */
export async function requireStopped({ hsm }: Config): Promise<void> {
  if (await isAnyServed(hsm.sockets))
    throw new Fault('hsm.unavailable', 'Token hosts are running: stop the daemon and its token hosts for the ceremony.')
}
