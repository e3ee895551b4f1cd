import { InvalidArgumentError, Option, type Command } from 'commander'
import { join } from 'node:path'
import { loadConfig } from '../config/loader.ts'
import type { Config } from '../config/schema.ts'
import { count, wrap, type Answer } from './output/command-answer.ts'
import { backupCheck } from './checks/backup-age.ts'
import { certificateCheck } from './checks/server-certificate.ts'
import { clockCheck } from './checks/system-clock.ts'
import { coreDumpsCheck } from './checks/core-pattern.ts'
import { daemonCheck } from './checks/daemon.ts'
import { databaseCheck } from './checks/database.ts'
import { issuersCheck } from './checks/issuer-files.ts'
import { diskCheck } from './checks/disk-space.ts'
import { keeperCheck } from './checks/keeper-file.ts'
import { limitsCheck } from './checks/near-limits.ts'
import { machinesCheck } from './checks/machines.ts'
import { moduleFindings, nodeFinding } from './checks/node-release.ts'
import { ownersCheck } from './checks/owners.ts'
import { permissionsCheck } from './checks/permissions.ts'
import { membersOnHoldCheck } from './checks/members-on-hold.ts'
import { programCheck } from './checks/running-program.ts'
import { serviceAccountsCheck } from './checks/service-ends.ts'
import { separationCheck } from './checks/separation.ts'
import { soPinCheck } from './checks/so-pin.ts'
import { passkeyMakersCheck } from './checks/passkey-makers.ts'
import { smartcardCheck } from './checks/smartcard.ts'
import { softhsmCheck } from './checks/softhsm-configuration.ts'
import { templatesCheck } from './checks/template-fields.ts'
import { hostsTopic, tokenCheck } from './checks/token-hosts.ts'
import { pinChangeCheck } from './checks/unfinished-pin.ts'
import { trailCheck } from './checks/audit-trail.ts'
import { forwardCheck } from './checks/audit-forward.ts'
import { witnessCheck } from './checks/audit-witness.ts'
import { vaultAdminsCheck, vaultKeysCheck } from './checks/vaults.ts'
import { systemClock } from '../clock.ts'
import { errorCodeOf } from '../fault.ts'
import { exitCodes, sentenceOf } from './exit-code.ts'
import type { Check, Finding } from './checks/findings.ts'
import { answering, type Invocation } from './invocation.ts'
import type { Terminal } from './output/terminal.ts'

const help = `
Changes nothing. Exit code 1 when there is a problem; if there are only warnings, it is 0.

Examples:
  strongroom doctor
  strongroom doctor --json | jq '.findings[] | select(.state == "problem")'
  strongroom doctor --only daemon,token`

const checks: readonly Check[] = [
  permissionsCheck,
  ownersCheck,
  separationCheck,
  coreDumpsCheck,
  soPinCheck,
  diskCheck,
  databaseCheck,
  softhsmCheck,
  pinChangeCheck,
  tokenCheck,
  keeperCheck,
  machinesCheck,
  vaultKeysCheck,
  vaultAdminsCheck,
  membersOnHoldCheck,
  serviceAccountsCheck,
  issuersCheck,
  certificateCheck,
  smartcardCheck,
  passkeyMakersCheck,
  templatesCheck,
  limitsCheck,
  daemonCheck,
  programCheck,
  trailCheck,
  witnessCheck,
  forwardCheck,
  backupCheck,
  clockCheck,
]

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('check the whole appliance, and say what to do about what is wrong')
    .addOption(
      new Option('--only <checks>', `these, separated by commas: ${names.join(', ')}`)
        .argParser(chosen)
        .default(names, 'all'),
    )
    .addHelpText('after', help)
    .action(answering(examine))
}

const names = ['node', ...checks.map(({ topic }) => topic)]

function chosen(text: string): string[] {
  const asked = text.split(',').map((name) => name.trim())
  const unknown = asked.find((name) => !names.includes(name))
  if (unknown !== undefined) throw new InvalidArgumentError(`There is no check "${unknown}".`)
  return asked
}

interface Choice {
  readonly only?: readonly string[]
  /** True before the first start of the daemon: that it does not answer is then not a problem. */
  readonly beforeStart?: boolean
}

export async function examine(
  invocation: Invocation,
  { only = names, beforeStart = false }: Choice = {},
): Promise<Answer> {
  const { terminal } = invocation
  const findings: Finding[] = only.includes('node') ? nodeFindings(invocation) : []
  const config = readConfig(invocation.config, findings)
  if (config !== undefined)
    for (const check of checks.filter(({ topic }) => only.includes(topic)))
      findings.push(
        ...(await outcome(check, config, invocation, findings)).filter(
          (finding) => !(beforeStart && comesWithStart(finding)),
        ),
      )
  const problems = findings.filter(({ state }) => state === 'problem').length
  const warnings = findings.filter(({ state }) => state === 'warning').length
  return {
    json: { problems, warnings, findings: findings.map(({ topic, ...rest }) => ({ subject: topic, ...rest })) },
    lines: [...findings.flatMap((finding) => describe(finding, terminal)), '', summary(problems, warnings, terminal)],
    exitCode: problems > 0 ? exitCodes.refused : exitCodes.done,
  }
}

const comesWithStart = ({ topic, state }: Finding): boolean =>
  state === 'problem' && [daemonCheck.topic, hostsTopic].includes(topic)

const nodeFindings = ({ build }: Invocation): Finding[] => [
  nodeFinding(process.versions.node, systemClock.now()),
  ...moduleFindings(join(build, '../node_modules')),
]

function readConfig(file: string, findings: Finding[]): Config | undefined {
  try {
    const config = loadConfig(file)
    findings.push({ topic: 'configuration', state: 'ok', detail: file })
    return config
  } catch (error) {
    const remedy = 'Correct the file; config/README.md describes every option. Nothing else could be checked.'
    findings.push({ topic: 'configuration', state: 'problem', detail: sentenceOf(error), remedy })
    return undefined
  }
}

async function outcome(
  { topic, run }: Check,
  config: Config,
  invocation: Invocation,
  earlier: readonly Finding[],
): Promise<readonly Finding[]> {
  try {
    return await run(config, invocation, earlier)
  } catch (error) {
    return [
      {
        topic,
        state: 'problem',
        detail: sentenceOf(error),
        ...(isClosed(error) ? { remedy: isRoot() ? asOwners : asRoot } : {}),
      },
    ]
  }
}

const isRoot = (): boolean => process.getuid?.() === 0
/** Root opens files with the rights of their folder's owner. */
const asOwners = 'Its folder\'s owner may not open it: "owners" says what to do.'
const asRoot = 'Run "strongroom doctor" as root: this user may not open all that it checks.'

function isClosed(error: unknown): boolean {
  const code = errorCodeOf(error)
  return (
    code === 'EACCES' ||
    code === 'EPERM' ||
    (error instanceof Error && error.cause !== undefined && isClosed(error.cause))
  )
}

const colours = { ok: 'green', warning: 'yellow', problem: 'red' } as const
const stateWidth = 'problem'.length
const topicWidth = 'configuration'.length
const indent = ' '.repeat(stateWidth + topicWidth + 4)

function describe({ state, topic, detail, remedy }: Finding, terminal: Terminal): string[] {
  const width = terminal.width - indent.length
  const [first = '', ...rest] = wrap(detail, width)
  return [
    `${terminal.coloured(colours[state], state.padEnd(stateWidth))}  ${topic.padEnd(topicWidth)}  ${first}`,
    ...rest.map((line) => indent + line),
    ...(remedy === undefined
      ? []
      : wrap(remedy, width - 2).map((line, at) => `${indent}${at === 0 ? '→ ' : '  '}${line}`)),
  ]
}

function summary(problems: number, warnings: number, terminal: Terminal): string {
  if (problems === 0 && warnings === 0) return terminal.coloured('green', 'All is well.')
  return `${count(problems, 'problem')}, ${count(warnings, 'warning')}.`
}
