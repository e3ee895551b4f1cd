#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { defaultConfigFile } from '../config/default-file.ts'
import { compileEarly } from '../daemon/v8-flags.ts'
import { groupOf, runTokenProgram, tokenProgramOptions } from '../daemon/token-program.ts'
import { startKeeper } from '../hsm/keeper/keeper.ts'

/** `strongroom-keeper`: the process that decides logins and seals records. There is one per machine. */
const usage = `Usage: strongroom-keeper [--config FILE] [--systemd] [--parent] [--socket-group GID]

  --config FILE   configuration of the appliance (default: ${defaultConfigFile}); hsm.keeper names the sockets
  --systemd       serve the two sockets that systemd passes, named worker and operator (FileDescriptorName=)
  --parent        end with the process that started this one (its IPC channel)
  --socket-group GID
                  let this group use the workers' socket
  --version       say which program this is, and end
  --help          show this, and end
`

compileEarly()
runTokenProgram({ name: 'strongroom-keeper', usage }, () => {
  const { config, systemd, parent, 'socket-group': group } = parseArgs({ options: tokenProgramOptions }).values
  return { holder: startKeeper(config, { systemd, socketGroup: groupOf(group) }), parent }
})
