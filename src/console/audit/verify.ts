import type { Command } from 'commander'
import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { AuditReport } from '../../audit/audit-report.ts'
import { readSuccessions } from '../../audit/trail-keys.ts'
import { listSegments } from '../../audit/segment.ts'
import { verifyTrail } from '../../audit/trail-verification.ts'
import { loadConfig } from '../../config/loader.ts'
import { dateOf, table, wrap, type Answer } from '../output/command-answer.ts'
import type { Terminal } from '../output/terminal.ts'
import { describeRows, readDatabase } from './database-rows.ts'
import { verifyArchives } from './archived-bundles.ts'
import { despiteArchiving } from './moved-files.ts'
import {
  archivedUntil,
  inputFor,
  missingFolder,
  type GivenTrail,
  type VerificationInput,
} from './verification-input.ts'
import { describeWitnessed, readWitnessed } from './witnessed.ts'
import { exitCodes, UsageError } from '../exit-code.ts'
import { answering, several, type Invocation } from '../invocation.ts'

const help = `
Without options the folder, the key and the last sealed points come from the appliance: its configuration, its
token and its database. With --directory and --public-key nothing of the appliance is needed, so a copy of the
trail can be checked anywhere. Exit code 1 when something was changed, removed or added.

A trail belongs to a machine. Where several share a database, the command checks the machine it runs on and says
which others it knows of. With --directory several times it checks the trails of several machines together, and
with the registry of the database; --all-machines requires the trails of all.

What strongroom audit archive took out of the trail is named, and is not a finding. --archive verifies its bundles.

--database compares the rows of the database with what the trail says of them: rows that were put back to an
earlier state, edited, made or removed without a record. The daemon may be running.

--witness compares the trail with what a witness outside the machine knows (audit.witness): a file as the syslog
receiver wrote it, or a copy of witness-timestamps.jsonl, for which the authority comes from
audit.witness.timestamp.ca or --witness-ca. The option can be given several times.

Examples:
  strongroom audit verify
  strongroom audit verify --directory /mnt/copy/audit --public-key audit-public.pem
  strongroom audit verify --directory /var/lib/strongroom/audit --directory /mnt/second/audit --all-machines
  strongroom audit verify --database
  strongroom audit verify --archive /mnt/archive/worker-1.000001-000003.jsonl.gz
  strongroom audit verify --witness /mnt/collector/strongroom.log`

interface Options extends GivenTrail {
  readonly allMachines?: boolean
  readonly archive?: readonly string[]
  readonly database?: boolean
  readonly witness?: readonly string[]
  readonly witnessCa?: string
}

export function addAuditVerify(audit: Command): void {
  audit
    .command('verify')
    .description('check that no record of the audit trail was changed, removed or added')
    .option(
      '--directory <folder>',
      'folder of a trail, several times for several machines; by default audit.directory',
      several,
    )
    .option('--all-machines', 'a machine whose trail is not here is a finding')
    .option('--public-key <file>', "PEM file with the audit key's public half; by default the token is asked")
    .option('--database', 'compares the rows of the database with what the trail says of them')
    .option('--archive <file>', 'verifies a bundle of strongroom audit archive instead of a trail', several)
    .option('--witness <file>', 'what a witness received, to compare with', several)
    .option('--witness-ca <file>', 'PEM file with the CAs of the time-stamp authority')
    .addHelpText('after', help)
    .action(answering(verify))
}

async function verify(invocation: Invocation, options: Options): Promise<Answer> {
  if (options.witnessCa !== undefined && options.witness === undefined)
    throw new UsageError('--witness-ca needs --witness: name what the witness received, too.')
  if (options.archive !== undefined) return verifyArchives(options.archive, options, invocation)
  const { terminal } = invocation
  const input = await inputFor(options, invocation)
  const found = await despiteArchiving(input.directory, () => compare(input, invocation, options))
  const { witnessed, report, rows, sound } = found
  const fingerprint = hash('sha256', input.publicKey)
  const { directory, keySource } = input
  return {
    json: {
      directory: directory.length === 1 ? directory[0] : directory,
      key: { source: keySource, sha256: fingerprint },
      heads: input.heads !== undefined,
      ...(witnessed && {
        witness: { heads: witnessed.heads.length, others: witnessed.others, rejected: witnessed.rejected },
      }),
      ...(rows && { database: rows }),
      ...report,
      sound,
    },
    lines: [
      ...table([
        ...directory.map((one) => ['trail', one]),
        ['key', `${keySource}, SHA-256 ${fingerprint.slice(0, 16)}…`],
      ]),
      ...(input.heads === undefined
        ? ['The database was not asked: a chain whose end was cut off is found only where another names it.']
        : []),
      ...(witnessed === undefined ? [] : describeWitnessed(witnessed)),
      ...describeArchived(report),
      ...describeAbsent(report).flatMap((text) => wrap(text, terminal.width)),
      '',
      ...describeReport({ ...report, sound: report.sound && !witnessed?.rejected.length }, terminal),
      ...(rows === undefined ? [] : ['', ...describeRows(rows, terminal)]),
    ],
    exitCode: sound ? exitCodes.done : exitCodes.refused,
  }
}

/** Reads all data that the options name, and the trail last. */
async function compare(input: VerificationInput, invocation: Invocation, options: Options) {
  // Read before the trail, which may grow meanwhile.
  const witnessed =
    options.witness === undefined
      ? undefined
      : await readWitnessed(options.witness, options.witnessCa ?? input.witnessCa, {
          publicKey: input.publicKey,
          successions: (await Promise.all(input.directory.map(readSuccessions))).flat(),
        })
  const comparison =
    options.database === true
      ? await readDatabase(loadConfig(invocation.config), await archivedUntil(input))
      : undefined
  const progress = await progressBar(input.directory, invocation.terminal)
  const report = await verifyTrail({
    ...input,
    isAll: options.allMachines === true,
    ...(witnessed && { witnessed: witnessed.heads }),
    onEvent: comparison?.event,
    progress,
  })
  const rows = await comparison?.report()
  return { witnessed, report, rows, sound: report.sound && !witnessed?.rejected.length && !rows?.findings.length }
}

export async function trailBytes(directory: string): Promise<number> {
  const segments = [...(await listSegments(directory)).values()].flat()
  const sizes = await Promise.all(segments.map(async ({ name }) => (await stat(join(directory, name))).size))
  return sizes.reduce((total, size) => total + size, 0)
}

async function progressBar(directories: readonly string[], terminal: Terminal): Promise<(bytes: number) => void> {
  for (const directory of directories) if (!existsSync(directory)) throw missingFolder(directory)
  const sizes = await Promise.all(directories.map(trailBytes))
  const total = sizes.reduce((sum, size) => sum + size, 0)
  let shown = -1
  return (bytes) => {
    const percent = total === 0 ? 100 : Math.min(100, Math.floor((bytes * 100) / total))
    if (percent === shown) return
    shown = percent
    terminal.overwrite(percent === 100 ? '' : `verifying ${percent} %`)
  }
}

function describeArchived({ archived }: AuditReport): string[] {
  return archived.map(
    ({ chain, last, until }) =>
      `Archived: ${chain}, records 1 to ${last.seq}, until ${dateOf(until)}. Verify its bundles with --archive.`,
  )
}

function describeAbsent({ absent }: AuditReport): string[] {
  return absent.map(({ machine, chains }) => {
    const name = machine === '' ? 'a machine without a name' : `machine ${machine}`
    return `Not here: the trail of ${name} (${chains.join(', ')}). Verify it there, or give its folder with --directory.`
  })
}

function describeReport({ chains, sound }: Pick<AuditReport, 'chains' | 'sound'>, terminal: Terminal): string[] {
  const findings = chains.flatMap((chain) => [
    ...chain.findings.flatMap(({ file, line, kind, detail }) => [
      `${terminal.coloured('red', kind)}: ${file}${line === 0 ? '' : `, line ${line}`}`,
      ...wrap(detail, terminal.width - 2).map((text) => `  ${text}`),
    ]),
    ...(chain.moreFindings > 0 ? [`  and ${chain.moreFindings} more in ${chain.chain}`] : []),
  ])
  return [
    ...table([
      ['CHAIN', 'RECORDS', 'SEALS', 'NOT SEALED YET', 'FINDINGS'],
      ...chains.map(({ chain, records, seals, unsealed, findings, moreFindings }) =>
        [chain, records, seals, unsealed, findings.length + moreFindings].map(String),
      ),
    ]),
    '',
    ...findings,
    sound
      ? terminal.coloured('green', 'Nothing was changed, removed or added.')
      : 'The trail is not as it was written: keep a copy of it and of the database before anything else is done.',
  ]
}
