#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { defaultConfigFile } from '../config/default-file.ts'
import { compileEarly, growHeapFourfold } from '../daemon/v8-flags.ts'
import { groupOf, runTokenProgram, tokenProgramOptions } from '../daemon/token-program.ts'
import { startTokenHost } from '../hsm/host/token-host.ts'

/** `strongroom-tokend`: a token host, which holds the token and the PIN, and serves operations over a unix socket. */
const usage = `Usage: strongroom-tokend [--config FILE] (--socket PATH [--systemd] | --systemd) [--parent] [--socket-group GID]

  --config FILE   configuration of the appliance (default: ${defaultConfigFile})
  --socket PATH   unix socket to serve: one of hsm.sockets, or hsm.keyMakerSocket to make RSA keys
  --systemd       systemd passes the socket (LISTEN_FDS=1)
  --parent        end with the process that started this one (its IPC channel)
  --socket-group GID
                  let this group use the socket
  --version       say which program this is, and end
  --help          show this, and end
`

growHeapFourfold()
compileEarly()
runTokenProgram({ name: 'strongroom-tokend', usage }, () => {
  const options = { ...tokenProgramOptions, socket: { type: 'string' } } as const
  const { config, socket, systemd, parent, 'socket-group': group } = parseArgs({ options }).values
  if (socket === undefined && !systemd) throw new Error(usage)
  return {
    holder: startTokenHost({ configFile: config, socket, isPassed: systemd, socketGroup: groupOf(group) }),
    parent,
  }
})
