import type { Command } from 'commander'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { AuditReport } from '../../audit/audit-report.ts'
import { createAuditHeads } from '../../audit/records.ts'
import type { SealedHead } from '../../audit/seal.ts'
import { readSuccessions } from '../../audit/trail-keys.ts'
import { readPublicKey } from '../../audit/public-key.ts'
import { listSegments } from '../../audit/segment.ts'
import { verifyTrail } from '../../audit/trail-verification.ts'
import { loadConfig } from '../../config/loader.ts'
import type { Config } from '../../config/schema.ts'
import { table, wrap, type Answer } from '../output/command-answer.ts'
import { readPublicKeyFile, type Terminal } from '../output/terminal.ts'
import { withStore } from '../console-context.ts'
import { describeRows, readDatabase } from './database-rows.ts'
import { describeWitnessed, readWitnessed } from './witnessed.ts'
import { exitCodes, UsageError } from '../exit-code.ts'
import { answering, type Invocation } from '../invocation.ts'
import { isServed, reachToken } from '../token-access.ts'

const help = `
Without options the folder, the key and the last sealed points come from the appliance: its configuration, its
token and its database. With --directory and --public-key nothing of the appliance is needed, so a copy of the
trail can be checked anywhere. Exit code 1 when something was changed, removed or added.

--database compares the rows of the database with what the trail says of them: rows that were put back to an
earlier state, edited, made or removed without a record. The daemon may be running.

--witness compares the trail with what a witness outside the machine knows (audit.witness): a file as the syslog
receiver wrote it, or a copy of witness-timestamps.jsonl, for which the authority comes from
audit.witness.timestamp.ca or --witness-ca. The option can be given several times.

Examples:
  strongroom audit verify
  strongroom audit verify --directory /mnt/copy/audit --public-key audit-public.pem
  strongroom audit verify --database
  strongroom audit verify --witness /mnt/collector/strongroom.log`

interface Options {
  readonly directory?: string
  readonly publicKey?: string
  readonly database?: boolean
  readonly witness?: readonly string[]
  readonly witnessCa?: string
}

export function addAuditVerify(audit: Command): void {
  audit
    .command('verify')
    .description('Checks that no record of the audit trail was changed, removed or added.')
    .option('--directory <folder>', 'folder of the trail; by default audit.directory')
    .option('--public-key <file>', "PEM file with the audit key's public half; by default the token is asked")
    .option('--database', 'compares the rows of the database with what the trail says of them')
    .option('--witness <file>', 'what a witness received, to compare with', (file, files: string[] | undefined) => [
      ...(files ?? []),
      file,
    ])
    .option('--witness-ca <file>', 'PEM file with the CAs of the time-stamp authority')
    .addHelpText('after', help)
    .action(answering(verify))
}

async function verify(invocation: Invocation, options: Options): Promise<Answer> {
  const { terminal } = invocation
  const input = await inputFor(options, invocation)
  // Read before the trail, which goes on meanwhile.
  const witnessed =
    options.witness === undefined
      ? undefined
      : await readWitnessed(options.witness, options.witnessCa ?? input.witnessCa, {
          publicKey: input.publicKey,
          successions: await readSuccessions(input.directory),
        })
  const comparison = options.database === true ? await readDatabase(loadConfig(invocation.config)) : undefined
  const progress = await progressBar(input.directory, terminal)
  const report = await verifyTrail({
    ...input,
    ...(witnessed && { witnessed: witnessed.heads }),
    onEvent: comparison?.event,
    progress,
  })
  const rows = await comparison?.report()
  const sound = report.sound && !witnessed?.rejected.length && !rows?.findings.length
  const fingerprint = createHash('sha256').update(input.publicKey).digest('hex')
  const { directory, keySource } = input
  return {
    json: {
      directory,
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
        ['trail', directory],
        ['key', `${keySource}, SHA-256 ${fingerprint.slice(0, 16)}…`],
      ]),
      ...(input.heads === undefined
        ? ['The database was not asked: a chain whose end was cut off is found only where another names it.']
        : []),
      ...(witnessed === undefined ? [] : describeWitnessed(witnessed)),
      '',
      ...describeReport({ ...report, sound: report.sound && !witnessed?.rejected.length }, terminal),
      ...(rows === undefined ? [] : ['', ...describeRows(rows, terminal)]),
    ],
    exitCode: sound ? exitCodes.done : exitCodes.refused,
  }
}

/** What to verify, and with what. */
interface VerificationInput {
  readonly directory: string
  readonly publicKey: Buffer
  readonly keySource: string
  readonly heads?: ReadonlyMap<string, SealedHead>
  readonly witnessCa?: string | undefined
}

async function inputFor({ directory, publicKey }: Options, invocation: Invocation): Promise<VerificationInput> {
  const given =
    publicKey === undefined
      ? undefined
      : { publicKey: await readKey(publicKey, invocation.terminal), keySource: publicKey }
  if (directory !== undefined && given !== undefined) return { directory, ...given }
  const config = loadConfig(invocation.config)
  if (directory !== undefined) return { directory, ...(await keyOf(invocation, config)) }
  return applianceTrail(invocation, config, given)
}

type Key = Pick<VerificationInput, 'publicKey' | 'keySource'>

/** The appliance's own trail with what the database knows of it; the key from the token where a host runs. */
export async function applianceTrail(invocation: Invocation, config: Config, key?: Key): Promise<VerificationInput> {
  // The heads are read first: a trail that is being written is then ahead of them, never behind.
  const heads = await withStore(config, (store) => createAuditHeads(store).read())
  const { directory, witness } = config.audit
  return { directory, ...(key ?? (await keyOf(invocation, config))), heads, witnessCa: witness?.timestamp?.ca }
}

async function keyOf(invocation: Invocation, config: Config): Promise<Key> {
  if ((await Promise.all(config.hsm.sockets.map(isServed))).includes(true)) {
    const access = await reachToken(invocation, config)
    try {
      const keys = await access.hsm.auditKeys().catch(() => undefined)
      if (keys !== undefined) return { publicKey: keys.publicKey, keySource: 'from the token' }
    } finally {
      await access.close()
    }
  }
  const { directory } = config.audit
  const publicKey = existsSync(directory) ? await readPublicKey(directory) : undefined
  if (publicKey === undefined)
    throw new UsageError(
      `There is no public key in ${directory} and the token does not answer: give --public-key FILE.`,
    )
  return { publicKey, keySource: 'beside the trail (the token does not answer)' }
}

async function readKey(file: string, terminal: Terminal): Promise<Buffer> {
  try {
    return await readPublicKeyFile(terminal, file)
  } catch (cause) {
    throw new UsageError(
      `${file} cannot be read as a public key in PEM: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    )
  }
}

export async function trailBytes(directory: string): Promise<number> {
  const segments = [...(await listSegments(directory)).values()].flat()
  const sizes = await Promise.all(segments.map(async ({ name }) => (await stat(join(directory, name))).size))
  return sizes.reduce((total, size) => total + size, 0)
}

async function progressBar(directory: string, terminal: Terminal): Promise<(bytes: number) => void> {
  if (!existsSync(directory))
    throw new UsageError(`${directory} does not exist: name the folder of the trail with --directory.`)
  const total = await trailBytes(directory)
  let shown = -1
  return (bytes) => {
    const percent = total === 0 ? 100 : Math.min(100, Math.floor((bytes * 100) / total))
    if (percent === shown) return
    shown = percent
    terminal.overwrite(percent === 100 ? '' : `verifying ${percent} %`)
  }
}

function describeReport({ chains, sound }: AuditReport, terminal: Terminal): string[] {
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
