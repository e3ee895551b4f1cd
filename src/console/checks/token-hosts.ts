import type { Config } from '../../config/schema.ts'
import { judgeRoom } from '../../monitor/judgement.ts'
import type { HostStatus, TokenRoom, TokenStatus } from '../../hsm/token-status.ts'
import { roleOf, rootRoles } from '../../hsm/pkcs11/root-objects.ts'
import { ceremonyLabel } from '../../hsm/pkcs11/security-officer.ts'
import { vaultKeyLabel } from '../../hsm/pkcs11/token-objects.ts'
import { madeOutside } from '../../hsm/pkcs11/token-report.ts'
import { isServed } from '../../hsm/protocol/served-socket.ts'
import { count } from '../output/command-answer.ts'
import { findingsOf, type Check, type Finding } from './findings.ts'
import { withTokenAccess } from '../token-access.ts'
import { kekFindings } from './kek-rows.ts'
import { promiseBrokenBy } from './token-promises.ts'
import { isMigrated } from './vaults.ts'

const { ok, warning, problem, judged } = findingsOf('token')
export const hostsTopic = 'token hosts'
const host = findingsOf(hostsTopic)

/** Checks that the hosts answer, and that the token has all root objects and passes the conformance probe. */
export const tokenCheck: Check = {
  topic: 'token',
  async run(config, invocation) {
    const hosts = await hostFindings(config)
    // If no host is running, a private one shows whether the daemon is only stopped or the token fails.
    const statuses = await withTokenAccess(invocation, config, ({ hsm }) => hsm.status())
    const ready = statuses.find(({ token }) => token !== undefined)?.token
    const findings = [...hosts, ...statuses.flatMap(stateFinding)]
    if (ready === undefined) return findings
    const rows = (await isMigrated(config)) ? await kekFindings(config, ready) : []
    const rooms = statuses.flatMap(({ room }) => room ?? []).slice(0, 1)
    return [...findings, ...tokenFindings(ready), ...rooms.flatMap((room) => roomFindings(room, config)), ...rows]
  },
}

async function hostFindings({ hsm }: Config): Promise<Finding[]> {
  const served = await Promise.all(hsm.sockets.map(isServed))
  const silent = hsm.sockets.filter((_, at) => served[at] !== true)
  if (silent.length === 0) return [host.ok(`${hsm.sockets.length} answering`)]
  const remedy = hsm.spawn
    ? 'Start the daemon, which starts them.'
    : 'Start strongroom-token@.service for each of them.'
  return silent.map((socket) => host.problem(`none answers at ${socket}`, remedy))
}

function stateFinding({ socket, isKeyMaker, state, reason }: HostStatus): Finding[] {
  if (state === 'ready') return isKeyMaker ? [host.ok('the key maker answers')] : []
  if (isKeyMaker && state === 'down')
    return [
      host.problem(
        `no RSA key can be made, because the key maker at ${socket} is down: ${reason ?? 'it does not say why'}`,
        'Restart the daemon, or where systemd runs the token hosts, enable strongroom-token@key-maker.socket.',
      ),
    ]
  const remedy =
    state === 'sealed'
      ? 'Correct the PIN; with systemd restart the keeper and the token hosts then, which get it at their start. docs/operations.md: The PIN.'
      : 'See the journal of the token host.'
  return [host.problem(`${socket} is ${state}: ${reason ?? 'it does not say why'}`, remedy)]
}

/** Findings on the token's memory. The disk of a software token is part of the check of disks. */
function roomFindings(room: TokenRoom, { warnings }: Config): Finding[] {
  return room.kind === 'disk' ? [] : [judged(judgeRoom(room, warnings))]
}

function tokenFindings(token: TokenStatus): Finding[] {
  const missing = rootRoles
    .filter((role) => !token.objects.root.some((label) => roleOf(label) === role))
    .map((role) => `strongroom.${role}.v1`)
  const failed = Object.entries(token.conformance).filter(([, result]) => result !== 'passed')
  return [
    ok(
      `${token.label}, serial ${token.serial}, ${token.objects.root.length} root objects, ${count(token.objects.vaultKeys, 'vault key')}`,
    ),
    ...(token.manufacturer.startsWith('SoftHSM')
      ? [
          ok(
            'SoftHSM2: PIN and the files of the token together give every key, whatever this says of the PIN by itself',
          ),
        ]
      : []),
    ...missing.map((label) =>
      problem(
        `${label} is missing`,
        'Run "strongroom init"; if keys were made with it, restore the token from its backup instead.',
      ),
    ),
    ...strangeFindings(token.objects),
    ...token.objects.weaknesses.map(weaknessFinding),
    ...(failed.length === 0 ? [ok(`conformance: all ${Object.keys(token.conformance).length} checks passed`)] : []),
    ...failed.map(([name, result]) => warning(`conformance: ${name}: ${result}`, promiseBrokenBy(name))),
  ]
}

/**
 * Finds objects that Strongroom did not make. Anyone with the PIN can create and copy objects, and a copy outlives the
 * destruction of its key.
 */
function strangeFindings({ copies, others }: TokenStatus['objects']): Finding[] {
  const look = 'Look at all objects (pkcs11-tool --login --list-objects), and destroy what is not needed.'
  return [
    ...(copies > 0 ? [problem(`${count(copies, 'copy', 'copies')} of keys in the token`, look)] : []),
    ...(others > 0
      ? [warning(`${count(others, 'object')} in the token that Strongroom did not make: perhaps copies of keys`, look)]
      : []),
  ]
}

function weaknessFinding({ label, count: number, lacks }: TokenStatus['objects']['weaknesses'][number]): Finding {
  if (lacks.includes(madeOutside))
    return problem(
      `${label} ${madeOutside}, by someone who has the PIN, or by a command that was interrupted`,
      'No new key goes under it, but seals by it are accepted. If no command was interrupted, see docs/operations.md: After a token host was taken over.',
    )
  const what = `${lacks.join(' and ')} by anyone who has the PIN`
  if (label === vaultKeyLabel)
    return warning(
      `${count(number, 'vault key')}: ${what}`,
      'An earlier release made them. The keys of new vaults are limited: move what matters most into new ones.',
    )
  if (label === ceremonyLabel)
    return problem(
      `${count(number, 'trusted key')} of a ceremony in the token: ${what}`,
      'End the ceremony: strongroom backup-keys adopt --abandon',
    )
  return warning(`${label}: ${what}`, 'An earlier release made it, or the token refuses such limits.')
}
