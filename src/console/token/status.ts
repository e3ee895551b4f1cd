import type { Command } from 'commander'
import { loadConfig } from '../../config/loader.ts'
import type { HostStatus, TokenStatus } from '../../hsm/token-status.ts'
import { table, wrap } from '../output/command-answer.ts'
import { exitCodes } from '../exit-code.ts'
import { answering } from '../invocation.ts'
import { withTokenAccess } from '../token-access.ts'

const help = `
Asks every running token host; where none runs, one is started for the question. Exit code 3 when a host is not
ready.

Example:
  strongroom token status --json | jq '.hosts[].token.mechanisms'`

export function addTokenStatus(token: Command): void {
  token
    .command('status')
    .description('show the token: slot, mechanisms, objects, sessions and what the conformance probe found')
    .addHelpText('after', help)
    .action(
      answering((invocation) =>
        withTokenAccess(invocation, loadConfig(invocation.config), async ({ hsm, ownHost }) => {
          const hosts = await hsm.status()
          return {
            json: { ownHost, hosts },
            lines: hosts.flatMap((host, at) => [
              ...(at === 0 ? [] : ['']),
              ...describeHost(host, ownHost, invocation.terminal.width),
            ]),
            exitCode: hosts.every(({ state }) => state === 'ready') ? exitCodes.done : exitCodes.token,
          }
        }),
      ),
    )
}

function describeHost(
  { socket, isKeyMaker, state, reason, token }: HostStatus,
  ownHost: boolean,
  width: number,
): string[] {
  const where = ownHost ? 'started for this command' : socket
  return [
    ...table([
      [isKeyMaker ? 'key maker' : 'host', where],
      ['state', reason === undefined ? state : `${state}: ${reason}`],
      ...(token === undefined ? [] : facts(token)),
    ]),
    // All hosts have the same token, so the key maker does not list it again.
    ...(token === undefined || isKeyMaker ? [] : lists(token, width)),
  ]
}

// SoftHSM2 has no limit, and reports this as a number with all bits set.
const bound = (max: number): string => (max === 0 || max >= 2 ** 31 ? '' : ` of ${max}`)

function facts(token: TokenStatus): string[][] {
  const { sessions, handles, objects } = token
  return [
    ['token', `${token.label}, serial ${token.serial}`],
    ['made by', `${token.manufacturer}, ${token.model}`],
    ['slot', String(token.slot)],
    ['sessions', `${sessions.open} open${bound(sessions.max)}`],
    ['handles', `${handles.held} of ${handles.limit} held, epoch ${token.epoch}`],
    ['vault keys', String(objects.vaultKeys)],
  ]
}

function lists({ objects, conformance, mechanisms }: TokenStatus, width: number): string[] {
  return [
    'root objects',
    ...indented(objects.root),
    'conformance',
    ...indented(table(Object.entries(conformance))),
    `mechanisms (${mechanisms.length})`,
    ...indented(wrap(mechanisms.join(' '), width - 2)),
  ]
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`)
}
