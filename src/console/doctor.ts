import type { Command } from 'commander'
import { loadConfig } from '../config/loader.ts'
import type { Config } from '../config/schema.ts'
import { count, wrap, type Answer } from './output/answer.ts'
import { certificateCheck } from './checks/certificate.ts'
import { clockCheck } from './checks/clock.ts'
import { daemonCheck } from './checks/daemon.ts'
import { databaseCheck } from './checks/database.ts'
import { diskCheck } from './checks/disk.ts'
import { permissionsCheck } from './checks/permissions.ts'
import { nodeFinding } from './checks/node.ts'
import { smartcardCheck } from './checks/smartcard.ts'
import { tokenCheck } from './checks/token.ts'
import { trailCheck } from './checks/trail.ts'
import { vaultAdminsCheck } from './checks/vault-admins.ts'
import { vaultKeysCheck } from './checks/vault-keys.ts'
import { exitCodes, sentenceOf } from './exit-code.ts'
import type { Check, Finding } from './output/finding.ts'
import { answering, type Invocation } from './invocation.ts'
import type { Terminal } from './output/terminal.ts'

const help = `
Changes nothing. Exit code 1 when there is a problem; warnings alone leave it 0.

Examples:
  strongroom doctor
  strongroom doctor --json | jq '.findings[] | select(.state == "problem")'`

const checks: readonly Check[] = [
  permissionsCheck,
  diskCheck,
  databaseCheck,
  tokenCheck,
  vaultKeysCheck,
  vaultAdminsCheck,
  certificateCheck,
  smartcardCheck,
  daemonCheck,
  trailCheck,
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

async function examine(invocation: Invocation): Promise<Answer> {
  const { terminal } = invocation
  const findings: Finding[] = [nodeFinding()]
  const config = readConfig(invocation.config, findings)
  if (config !== undefined) for (const check of checks) findings.push(...(await outcome(check, config, invocation)))
  const problems = findings.filter(({ state }) => state === 'problem').length
  const warnings = findings.filter(({ state }) => state === 'warning').length
  return {
    json: { problems, warnings, findings },
    lines: [...findings.flatMap((finding) => describe(finding, terminal)), '', summary(problems, warnings, terminal)],
    exitCode: problems > 0 ? exitCodes.refused : exitCodes.done,
  }
}

function readConfig(file: string, findings: Finding[]): Config | undefined {
  try {
    const config = loadConfig(file)
    findings.push({ subject: 'configuration', state: 'ok', detail: file })
    return config
  } catch (error) {
    const remedy = 'Correct the file; config/README.md describes every option. Nothing else could be checked.'
    findings.push({ subject: 'configuration', state: 'problem', detail: sentenceOf(error), remedy })
    return undefined
  }
}

async function outcome({ subject, run }: Check, config: Config, invocation: Invocation): Promise<readonly Finding[]> {
  try {
    return await run(config, invocation)
  } catch (error) {
    return [{ subject, state: 'problem', detail: sentenceOf(error) }]
  }
}

const colours = { ok: 'green', warning: 'yellow', problem: 'red' } as const
const stateWidth = 'problem'.length
const subjectWidth = 'configuration'.length
const indent = ' '.repeat(stateWidth + subjectWidth + 4)

function describe({ state, subject, detail, remedy }: Finding, terminal: Terminal): string[] {
  const width = terminal.width - indent.length
  const [first = '', ...rest] = wrap(detail, width)
  return [
    `${terminal.coloured(colours[state], state.padEnd(stateWidth))}  ${subject.padEnd(subjectWidth)}  ${first}`,
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
