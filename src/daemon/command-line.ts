import { Command, Option } from 'commander'
import { defaultConfigFile } from '../config/default-file.ts'
import { versionLine } from '../release.ts'
import { exitCodeHelp } from './exit.ts'
import { daemonParts, type DaemonPart } from './launcher.ts'

const help = `
${exitCodeHelp}

Signals:
  SIGTERM, SIGINT  finish calls under way, then stop; a second one stops at once
  SIGHUP           read the server certificate again

Examples:
  strongroomd --config /etc/strongroom/strongroom.json --check
  strongroomd --config /etc/strongroom/strongroom.json`

export interface DaemonArguments {
  readonly config: string
  readonly check?: true
  readonly part?: DaemonPart
  readonly socketGroup?: number
}

/** The command line of `strongroomd`, from which its manual page is made as well. */
export const createDaemonCommand = (): Command =>
  new Command('strongroomd')
    .description('The Strongroom daemon: a secrets vault whose keys live in a hardware security module.')
    .version(versionLine('strongroomd'))
    .option(
      '--config <file>',
      'configuration file (JSON; every option is described in config/README.md)',
      defaultConfigFile,
    )
    .option('--check', 'check the configuration and the certificates that it names, and exit')
    // Set by the launcher for the processes that it starts.
    .addOption(new Option('--part <part>').choices(daemonParts).hideHelp())
    .addOption(new Option('--socket-group <gid>').argParser(Number).hideHelp())
    .addHelpText('after', help)
    .exitOverride()
