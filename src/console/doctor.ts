import type { Command } from 'commander'
import { loadConfig } from '../config/loader.ts'
import type { Config } from '../config/schema.ts'
import { count, wrap, type Answer } from './output/command-answer.ts'
import { certificateCheck } from './checks/server-certificate.ts'
import { clockCheck } from './checks/system-clock.ts'
import { coreDumpsCheck } from './checks/core-pattern.ts'
import { daemonCheck } from './checks/daemon.ts'
import { databaseCheck } from './checks/database.ts'
import { diskCheck } from './checks/disk-space.ts'
import { keeperCheck } from './checks/keeper-file.ts'
import { machinesCheck } from './checks/machines.ts'
import { permissionsCheck } from './checks/permissions.ts'
import { restingMembersCheck } from './checks/resting-members.ts'
import { separationCheck } from './checks/separation.ts'
import { soPinCheck } from './checks/so-pin.ts'
import { smartcardCheck } from './checks/smartcard.ts'
import { softhsmCheck } from './checks/softhsm-configuration.ts'
import { tokenCheck } from './checks/token-hosts.ts'
import { pinChangeCheck } from './checks/unfinished-pin.ts'
import { trailCheck } from './checks/audit-trail.ts'
import { forwardCheck } from './checks/audit-forward.ts'
import { witnessCheck } from './checks/audit-witness.ts'
import { vaultAdminsCheck, vaultKeysCheck } from './checks/vaults.ts'
import { exitCodes, sentenceOf } from './exit-code.ts'
import { findingsOf, type Check, type Finding } from './checks/findings.ts'
import { answering, type Invocation } from './invocation.ts'
import type { Terminal } from './output/terminal.ts'

const help = `
Changes nothing. Exit code 1 when there is a problem; warnings alone leave it 0.

Examples:
  strongroom doctor
  strongroom doctor --json | jq '.findings[] | select(.state == "problem")'`

const checks: readonly Check[] = [
  permissionsCheck,
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
  restingMembersCheck,
  certificateCheck,
  smartcardCheck,
  daemonCheck,
  trailCheck,
  witnessCheck,
  forwardCheck,
  clockCheck,
]

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .summary('check everything, and say what to do')
    .description('Checks the whole appliance and says what to do about what is wrong.')
    .addHelpText('after', help)
    .action(answering(examine))
}

export async function examine(invocation: Invocation): Promise<Answer> {
  const { terminal } = invocation
  const findings: Finding[] = [nodeFinding(process.versions.node)]
  const config = readConfig(invocation.config, findings)
  if (config !== undefined)
    for (const check of checks) findings.push(...(await outcome(check, config, invocation, findings)))
  const problems = findings.filter(({ state }) => state === 'problem').length
  const warnings = findings.filter(({ state }) => state === 'warning').length
  return {
    json: { problems, warnings, findings: findings.map(({ topic, ...rest }) => ({ subject: topic, ...rest })) },
    lines: [...findings.flatMap((finding) => describe(finding, terminal)), '', summary(problems, warnings, terminal)],
    exitCode: problems > 0 ? exitCodes.refused : exitCodes.done,
  }
}

const leastNode = [20, 19] as const

function nodeFinding(version: string): Finding {
  const { ok, problem } = findingsOf('node')
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > leastNode[0] || (major === leastNode[0] && minor >= leastNode[1])) return ok(`version ${version}`)
  return problem(
    `version ${version} is too old`,
    `Install Node.js ${leastNode.join('.')} or later, then build Strongroom again.`,
  )
}

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
    return [{ topic, state: 'problem', detail: sentenceOf(error) }]
  }
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
