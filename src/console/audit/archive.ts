import type { Command } from 'commander'
import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { olderFiles } from '../../audit/archive/archivable.ts'
import { addArchived, archiveFolder, readArchived } from '../../audit/archive/archived-files.ts'
import { verifyBundle, writeBundle, writeContent } from '../../audit/archive/bundle.ts'
import {
  archiveOperation,
  archiveSubject,
  bundleName,
  statementOf,
  type ArchiveStatement,
} from '../../audit/archive/archive-manifest.ts'
import { findProof } from '../../audit/archive/proof.ts'
import { lockChain, momentMs } from '../../audit/chain-lock.ts'
import { trailUnavailable } from '../../audit/trail-unavailable.ts'
import { createSealVerifier, type SealVerifier } from '../../audit/seal.ts'
import { listSegments, segmentOf, type Segment } from '../../audit/segment.ts'
import { readSuccessions, successionLine } from '../../audit/trail-keys.ts'
import { verifyTrail } from '../../audit/trail-verification.ts'
import { readDeliveryState } from '../../audit/delivery-state.ts'
import { loadConfig } from '../../config/loader.ts'
import type { Config } from '../../config/schema.ts'
import { chainName } from '../../config/chain-name.ts'
import { publicKeyPem } from '../../encoding/pem.ts'
import { forwarderOf } from '../../daemon/audit-witnesses.ts'
import { errorCodeOf, Fault } from '../../fault.ts'
import { makeFolder } from '../../folder-making.ts'
import { syncFolder } from '../../folder-sync.ts'
import { recordAt, withToken, type TokenContext } from '../console-context.ts'
import { leaveToOwner } from '../file-owner.ts'
import { answering, type Invocation } from '../invocation.ts'
import { count, dateOf, table, type Answer } from '../output/command-answer.ts'
import { momentOf, timeHelp } from './record-options.ts'
import { applianceTrail } from './verification-input.ts'

const help = `${timeHelp}

Moves whole files of the trail whose records are all older into bundles: compressed, and signed by a seal of the
trail, so that each is verified by itself. A file is removed once its bundle is on the disk and was read back. Each
bundle is a record of the trail, and strongroom audit verify goes on from where it ends. The daemon may be running.
If it is interrupted, it goes on when it is run again.

Examples:
  strongroom audit archive --before 90d
  strongroom audit archive --before 2026-10-01 --to /mnt/archive
  strongroom audit verify --archive /mnt/archive/worker-1.000001-000003.jsonl.gz`

interface Options {
  readonly before: string
  readonly to?: string
}

interface ArchiveContext extends TokenContext {
  readonly directory: string
  readonly to: string
  readonly publicKey: Buffer
  readonly verifier: SealVerifier
}

interface Bundle {
  readonly file: string
  readonly archive: ArchiveStatement
}

export function addAuditArchive(audit: Command): void {
  audit
    .command('archive')
    .summary('take older records into bundles')
    .description('move older records out of the trail into bundles')
    .requiredOption('--before <time>', 'records that are older')
    .option('--to <folder>', 'where the bundles go; by default the folder archive in audit.directory')
    .addHelpText('after', help)
    .action(answering(archive))
}

async function archive(invocation: Invocation, options: Options): Promise<Answer> {
  const before = momentOf(options.before, Date.now()) ?? 0
  const config = loadConfig(invocation.config)
  const { directory } = config.audit
  const to = options.to ?? archiveFolder(directory)
  const input = await applianceTrail(invocation, config)
  const lock = await lockChain(join(directory, 'archive.lock'), 'archive', momentMs).catch((error: unknown) => {
    throw trailUnavailable(error)
  })
  try {
    const report = await verifyTrail(input)
    if (!report.sound)
      throw new Fault(
        'audit.unavailable',
        'The trail is not as it was written, and stays as it is: run "strongroom audit verify".',
      )
    await makeFolder(to)
    const bundles = await withToken(invocation, config, async (token) => {
      const { publicKey } = await token.token.hsm.auditKeys()
      const verifier = createSealVerifier({ publicKey, successions: await readSuccessions(directory) })
      const context = { ...token, directory, to, publicKey, verifier }
      const archived = await readArchived(directory, verifier)
      const made: Bundle[] = []
      for (const { chain, sealedSeq } of report.chains) {
        const sealed = Math.min(sealedSeq, input.heads?.get(chain)?.seq ?? 0)
        const bundle = await archiveChain(context, chain, archived.get(chain), before, sealed)
        if (bundle !== undefined) made.push(bundle)
      }
      return made
    })
    leaveToOwner(directory)
    return answerOf(bundles)
  } finally {
    lock.release()
  }
}

async function archiveChain(
  context: ArchiveContext,
  chain: string,
  archived: ArchiveStatement | undefined,
  before: number,
  sealedSeq: number,
): Promise<Bundle | undefined> {
  const { config, directory, to, verifier } = context
  await removeLeftOver(to, chain)
  const present = (await listSegments(directory)).get(chain) ?? []
  if (archived !== undefined) await finishRemoval(context, archived, present)
  const segments = present.filter(({ number }) => number > (archived?.files.last ?? 0))
  const older = await forwarded(config, await olderFiles(directory, segments, before, sealedSeq))
  if (older.length === 0) return undefined

  const content = join(to, `${chain}.part`)
  try {
    const begin = archived && { point: archived.last, seal: archived.sealLast }
    const { statement, findings } = await namingFullDisk(to, () =>
      writeContent(content, directory, older, verifier, begin),
    )
    if (findings.length > 0) throw unsound(findings[0]?.detail)
    const file = join(to, bundleName(statement))
    const manifest = { archive: statement, ...(await prove(context, statement)) }
    await namingFullDisk(to, () => writeBundle(file, content, manifest))
    await checkBundle(context, file, statement)
    await addArchived(directory, manifest)
    await removeFiles(directory, older)
    return { file, archive: statement }
  } finally {
    await rm(content, { force: true })
  }
}

async function namingFullDisk<T>(to: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (cause) {
    if (errorCodeOf(cause) !== 'ENOSPC') throw cause
    const advice = `The disk of ${to} is full: free space on it, or name another folder with --to.`
    throw new Fault('audit.unavailable', advice, { cause })
  }
}

/** Removes what a killed run left of a bundle: the lock of this command is held. */
async function removeLeftOver(to: string, chain: string): Promise<void> {
  const ofChain = (name: string) =>
    name === `${chain}.part` || (name.startsWith(`${chain}.`) && name.endsWith('.gz.new'))
  for (const name of (await readdir(to)).filter(ofChain)) await rm(join(to, name))
}

/** The files that the receiver of records has completely; all files if there is no receiver. */
async function forwarded(config: Config, segments: readonly Segment[]): Promise<readonly Segment[]> {
  const forwarder = forwarderOf(config)
  if (forwarder === undefined) return segments
  const { points } = await readDeliveryState(config.audit.directory, forwarder)
  return segments.filter(({ chain, number }) => number < (points[chain]?.segment ?? 0))
}

/** Records the archive and waits for the seal that covers the record, which serves as the signature of the bundle. */
async function prove(context: ArchiveContext, archive: ArchiveStatement) {
  const { config, directory, publicKey } = context
  await recordAt(context, { operation: archiveOperation, target: archiveSubject(archive) })
  const proof = await findProof(directory, chainName(config, 'console'), archive)
  if (proof === undefined)
    throw new Fault('audit.unavailable', 'The record of the archive was not sealed: nothing was removed, run it again.')
  return {
    proof,
    publicKey: publicKeyPem(publicKey),
    successions: (await readSuccessions(directory)).map(successionLine),
  }
}

async function checkBundle({ verifier }: ArchiveContext, file: string, expected: ArchiveStatement): Promise<void> {
  const { archive, faults } = await verifyBundle(file, () => verifier)
  if (faults.length > 0 || archive === undefined || statementOf(archive) !== statementOf(expected))
    throw unsound(`${file}: ${faults[0] ?? 'it is another bundle.'}`)
}

const unsound = (detail = ''): Fault =>
  new Fault('audit.unavailable', `The bundle cannot be made, and nothing was removed: ${detail}`)

/** Removes files that an interrupted run left although their bundle is complete, after it has verified that bundle. */
async function finishRemoval(
  context: ArchiveContext,
  archived: ArchiveStatement,
  present: readonly Segment[],
): Promise<void> {
  const left = present.filter(({ number }) => number <= archived.files.last)
  if (left.length === 0) return
  const file = join(context.to, bundleName(archived))
  if (!existsSync(file))
    throw new Fault('audit.unavailable', `${file} is needed to finish an interrupted run: give its folder with --to.`)
  const inBundle = left.filter(({ number }) => number >= archived.files.first)
  if (inBundle.length < left.length)
    throw unsound(
      `${segmentOf(archived.chain, left[0]?.number ?? 0).name} is of an earlier archive, and is here again.`,
    )
  await checkBundle(context, file, archived)
  await removeFiles(context.directory, inBundle)
}

async function removeFiles(directory: string, segments: readonly Segment[]): Promise<void> {
  for (const { name } of segments) await rm(join(directory, name))
  await syncFolder(directory)
}

function answerOf(bundles: readonly Bundle[]): Answer {
  const rows = bundles.map(({ file, archive }) => [archive.chain, String(archive.records), dateOf(archive.until), file])
  return {
    json: { bundles: bundles.map(({ file, archive }) => ({ file, ...archive })) },
    lines:
      bundles.length === 0
        ? ['No file of the trail holds only older records: nothing was archived.']
        : [
            ...table([['CHAIN', 'RECORDS', 'UNTIL (UTC)', 'BUNDLE'], ...rows]),
            '',
            `${count(bundles.length, 'bundle')} made and verified; copy them to another machine.`,
          ],
  }
}
