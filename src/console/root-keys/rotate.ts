import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import {
  destroyVersions,
  makeNextVersion,
  type RotatableRole,
  rotatableRoles,
  rotatedWith,
} from '../../hsm/pkcs11/root-rotation.ts'
import { roleOf, versionOf } from '../../hsm/pkcs11/root-objects.ts'
import { outdated } from '../../hsm/record-generation.ts'
import type { RewrapOutcome } from '../../features/transparent/rewrap-pass.ts'
import { Fault } from '../../fault.ts'
import { longestGrantMs } from '../../access/decision.ts'
import { carryFloorNews } from '../../daemon/floor-courier.ts'
import { type ConsoleContext, withAppliance } from '../console-context.ts'
import { leaveTokenToOwner } from '../file-owner.ts'
import { UsageError } from '../exit-code.ts'
import { answering, type Invocation } from '../invocation.ts'
import { count, type Answer } from '../output/command-answer.ts'
import { confirmDestruction } from '../output/terminal.ts'
import { rootCreationOf } from '../root-making.ts'
import { handOver, type NewAuditKey } from './audit-handover.ts'
import { continueChains } from './continued-chains.ts'
import { type ProvenRows, provenRows } from './proven-rows.ts'
import { describePlan, type OldVersion, planOf, unusedOf } from './rotation-plan.ts'
import { type ResealOutcome, sealRowsAnew } from './resealing.ts'
import { agreedStatus, kekOf, requireAll, type RootVersion, rootVersionsOf } from './root-versions.ts'
import { movableKeks, moveFrom } from './rewrapping.ts'

const help = `
Makes the next version, which new keys go under from now on, and rewraps what comes from under the older
ones. What does not, because no key under it can ever be read, is listed with what to do about it. Run it again
to see how far that is: with two versions in the token it makes no third, unless --new is given.

The keeper signs the trail by the newest audit key, and states that, signed by both: the previous public key
leads to it. Pass phrases are compared by the pepper that made their checks, which are made again as users log in.
Of the seal, every row in the database is sealed again under the newest version; the daemon goes on meanwhile.

kek.backup, kek.backup-exportable and backup-seal are one version together. --destroy-unused destroys the
older versions that nothing needs: what an older copy of the database still holds under them is then lost,
and so are backups of single keys that users took under them. A database from before the rotation of the seal is
refused as a whole once the older seal is destroyed.

Examples:
  strongroom root-keys rotate kek.strict
  strongroom root-keys rotate kek.backup --destroy-unused`

export function addRootKeysRotate(rootKeys: Command): void {
  rootKeys
    .command('rotate')
    .argument('<name>', rotatableRoles.join(', '))
    .description('replace a root key by its next version, step by step')
    .option('--new', 'makes a version also where there are several already')
    .option('--destroy-unused', 'destroys the older versions that nothing needs any more')
    .option('--end-sessions', 'of the seal: ends every session, so that none goes on that an intruder sealed')
    .option('--yes', 'does not ask before it destroys')
    .option('--missing <number>', 'destroys although as many rows are missing as a call without it has said')
    .addHelpText('after', help)
    .action(answering(rotate))
}

interface RotateFlags {
  readonly new?: true
  readonly destroyUnused?: true
  readonly endSessions?: true
  readonly yes?: true
  readonly missing?: string
}

async function rotate(invocation: Invocation, name: string, flags: RotateFlags): Promise<Answer> {
  const role = rotatable(name)
  return withAppliance(invocation, async (context) => {
    await exchangeNews(context)
    const before = await versionsOf(context, role)
    const inUse = Math.max(...before.filter(({ newest }) => newest).map(({ version }) => version))
    // A version above the newest was made by no command: anyone with the PIN can make one.
    const isUnderWay = before.some(({ version }) => version < inUse)
    const { made, warnings: refusals } =
      isUnderWay && flags.new !== true ? nothingMade : await makeVersion(invocation, context, role)
    const versions = made.length === 0 ? before : await versionsOf(context, role)
    const auditKey = role === 'audit' ? await succeedAuditKey(context) : undefined
    const ended = flags.endSessions === true ? await endAllSessions(context, role) : 0
    const { moved, left } = await moveToNewest(invocation, context, role, versions)
    const destroyed = flags.destroyUnused === true ? await destroyUnused(invocation, context, role, flags) : []
    const warnings = [...refusals, ...(destroyed.length === 0 ? [] : await warningsOfCopies(context))]
    const older = versions.filter(({ label, newest }) => !newest && !destroyed.includes(label))
    const plan = await planOf(context, older)
    return {
      json: { made, auditKey, ended, moved, left, destroyed, warnings, older: plan },
      lines: [
        ...made.map((label) => `made       ${label}`),
        ...(auditKey === undefined ? [] : describeKey(auditKey)),
        ...(ended > 0 ? [`ended      ${count(ended, 'session')}`] : []),
        ...describeMoved(role, moved, left),
        ...destroyed.map((label) => `destroyed  ${label}`),
        ...warnings.map((warning) => `Warning: ${warning}`),
        ...describePlan(plan),
        '',
        nextStep(role, older, plan),
      ],
    }
  })
}

const nothingMade = { made: [], warnings: [] } as const

function rotatable(name: string): RotatableRole {
  const found = rotatableRoles.find((role) => role === name)
  if (found !== undefined) return found
  throw new UsageError(`There is no root key ${name}: name one of ${rotatableRoles.join(', ')}.`)
}

/** Has the trail of this machine signed by the newest key, all of its chains, and records it. */
async function succeedAuditKey(context: ConsoleContext): Promise<NewAuditKey | undefined> {
  const next = await handOver(context)
  if (next !== undefined) await recordFirst(context, 'root-keys.succeed', `audit: ${next.key}`)
  await continueChains(context)
  return next
}

/** The versions of this role and of the roles that rotate together with it. */
async function versionsOf({ token }: ConsoleContext, role: RotatableRole): Promise<RootVersion[]> {
  const together: readonly string[] = rotatedWith(role)
  return rootVersionsOf(await agreedStatus(token.hsm)).filter((one) => together.includes(one.role))
}

/** Moves keys or seals from older versions to the newest one. */
async function moveToNewest(
  { terminal }: Invocation,
  context: ConsoleContext,
  role: RotatableRole,
  versions: readonly RootVersion[],
): Promise<RewrapOutcome | ResealOutcome> {
  if (role === 'audit' || role === 'pepper') return { moved: 0, left: [] }
  if (role !== 'seal') return moveFrom(context, terminal, movableKeks(versions))
  if (versions.length === 1) return { moved: 0, left: [] }
  const { store, token, change } = context
  const outcome = await sealRowsAnew({
    reader: store.read,
    hsm: token.hsm,
    commit: (rows, work) => change('root-keys.reseal', count(rows, 'row'), (commit) => commit((tx) => work(tx))),
    progress: (done, total) => terminal.overwrite(`${done} of ${total} seals`),
  })
  terminal.overwrite('')
  return outcome
}

const describeKey = ({ key, file }: NewAuditKey): string[] => [
  `signs      ${key}: give auditors ${file}, which lies beside the trail`,
]

/** Ends all sessions. Must run before the rows of sessions get new seals. */
async function endAllSessions({ change, services }: ConsoleContext, role: RotatableRole): Promise<number> {
  if (role !== 'seal') throw new UsageError(`${role} seals no sessions: --end-sessions goes with seal.`)
  const everybody = await services.users.list()
  return change('root-keys.end-sessions', 'all sessions', (commit) =>
    commit(async (tx) => {
      let ended = 0
      for (const { id } of everybody) ended += await services.sessions.endOthers(tx, id)
      return ended
    }),
  )
}

function describeMoved(role: RotatableRole, moved: number, left: (RewrapOutcome | ResealOutcome)['left']): string[] {
  const what = (number: number) => (role === 'seal' ? count(number, 'row') : `${count(number, 'version')} of keys`)
  const [first] = left
  const why = typeof first === 'string' ? `altered outside Strongroom, for example ${first}` : first?.reason
  return [
    ...(moved > 0 ? [`moved      ${what(moved)}`] : []),
    ...(left.length > 0 ? [`not moved  ${what(left.length)} (${why})`] : []),
  ]
}

async function makeVersion(invocation: Invocation, context: ConsoleContext, role: RotatableRole) {
  await recordFirst(context, 'root-keys.make', role)
  const next = makeNextVersion(rootCreationOf(invocation, context.config), role)
  leaveTokenToOwner(context.config)
  await context.token.hsm.noteRoots(next.made)
  await exchangeNews(context)
  return next
}

/** Otherwise a rotation on another machine, right after this one, would take the new version for an attacker's. */
async function exchangeNews({ store, token: { hsm } }: ConsoleContext): Promise<void> {
  await carryFloorNews({ store, hsm }, () => undefined)
}

async function destroyUnused(
  invocation: Invocation,
  context: ConsoleContext,
  role: RotatableRole,
  { yes, missing = '0' }: RotateFlags,
): Promise<string[]> {
  await requireAll(context.token.hsm)
  const before = await unusedNow(context, role)
  if (before.length === 0) return []
  checkMissing(await provenRows(context.token.hsm, context.store.read), missing)
  if (yes !== true) await confirmDestruction(invocation.terminal, questionOf(before))
  // A key that was just made under an older version may not be in the database yet.
  if (!context.token.ownHost) await waitForUses(invocation, context, role)
  const labels = (await unusedNow(context, role)).filter((label) => before.includes(label))
  if (labels.length === 0) return []
  await checkUnneeded(context, role, labels, missing)
  await recordFirst(context, 'root-keys.destroy', labels.join(', '))
  destroyVersions(rootCreationOf(invocation, context.config), labels)
  leaveTokenToOwner(context.config)
  return labels
}

/**
 * Reads the rows once more, and believes those that are proven. The plan believes the rows as the database shows them.
 * @throws Fault `hsm.outdated` where the database has hidden something
 */
async function checkUnneeded(
  { token, store }: ConsoleContext,
  role: RotatableRole,
  labels: readonly string[],
  accepted: string,
): Promise<void> {
  const rows = await provenRows(token.hsm, store.read)
  checkMissing(rows, accepted)
  const { keks, peppers, hasOlderSeals } = rows
  const needed = labels.find((label) => {
    const one = { role: roleOf(label) ?? role, version: versionOf(label) }
    if (one.role === 'seal') return hasOlderSeals
    return one.role === 'pepper' ? peppers.has(one.version) : keks.has(kekOf(one) ?? '')
  })
  if (needed !== undefined) throw outdated(`The database first showed no row that needs ${needed}, and then one`)
}

/** @throws Fault `hsm.outdated` where other than the accepted number of rows are missing */
function checkMissing({ missing }: ProvenRows, accepted: string): void {
  if (missing.length === Number(accepted)) return
  const kinds = [...new Set(missing)].map((kind) => `${kind} (${missing.filter((one) => one === kind).length})`)
  throw new Fault(
    'hsm.outdated',
    missing.length === 0
      ? 'No row is missing: leave --missing out.'
      : `This appliance has seen what is in no row now, or only in an older one: ${kinds.join(', ')}. If the database hides it, it would be lost, so nothing was destroyed. If you know that no such row exists any more, add --missing ${missing.length}.`,
  )
}

/** Waits until no call can use keys or seals of an older version any more. */
async function waitForUses(invocation: Invocation, context: ConsoleContext, role: RotatableRole): Promise<void> {
  const { deadlineMs } = context.config.hsm
  if (role !== 'seal') return delay(deadlineMs)
  const waitMs = Math.max(deadlineMs, longestGrantMs)
  invocation.terminal.remark(`Waiting ${Math.ceil(waitMs / 1_000)} s: as long as workers use what it sealed for them.`)
  await delay(waitMs)
  await moveToNewest(invocation, context, role, await versionsOf(context, role))
}

/** Anyone with the PIN can copy root keys of release 0.2.0. */
async function warningsOfCopies({ token }: ConsoleContext): Promise<string[]> {
  const { copies, others } = (await agreedStatus(token.hsm)).objects
  if (copies + others === 0) return []
  return [
    `The token holds ${count(copies + others, 'object')} that Strongroom did not make. A copy of a root key outlives it: look at them (strongroom doctor).`,
  ]
}

async function unusedNow(context: ConsoleContext, role: RotatableRole): Promise<string[]> {
  const versions = await versionsOf(context, role)
  return unusedOf(versions, await planOf(context, versions))
}

function questionOf(labels: readonly string[]): string {
  const question = `${labels.join(', ')} for good?`
  return labels.some((label) => label.includes('backup'))
    ? `${question} Backups that were taken out are lost with them.`
    : question
}

/** Writes the record before the operation: without a record the operation does not take place. */
async function recordFirst({ change }: ConsoleContext, operation: string, target: string): Promise<void> {
  await change(operation, target, (commit) => commit(() => Promise.resolve()))
}

function nextStep(role: RotatableRole, older: readonly RootVersion[], plan: readonly OldVersion[]): string {
  if (older.length === 0) return 'One version is left. The next call of this command makes another one.'
  const unused = unusedOf(older, plan)
  if (unused.length === 0) return 'Run the command again to see what is left.'
  return `To destroy ${unused.join(', ')}: strongroom root-keys rotate ${role} --destroy-unused`
}
