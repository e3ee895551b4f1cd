import { randomUUID } from 'node:crypto'
import { chainName } from '../config/chain-name.ts'
import { storeLocation } from '../config/store-location.ts'
import type { AuditEvent, AuditTrail } from '../audit/event.ts'
import { createRecordedCommit, withRows } from '../audit/recorded-commit.ts'
import { createAuditHeads } from '../audit/records.ts'
import { createAuditTrail } from '../audit/trail-writer.ts'
import { systemClock } from '../clock.ts'
import { loadConfig } from '../config/loader.ts'
import { operatorName } from '../config/environment.ts'
import type { Config } from '../config/schema.ts'
import { Fault } from '../fault.ts'
import type { Hsm } from '../hsm/hsm.ts'
import { checkMachineName } from '../daemon/machine-name.ts'
import { openPresentStore } from '../daemon/present-database.ts'
import { recordedRows } from '../daemon/recorded-rows.ts'
import type { Services } from '../daemon/services.ts'
import type { Commit, Store } from '../store/store.ts'
import { checkTakenOver } from '../daemon/row-takeover.ts'
import { absenceOf } from './absence.ts'
import { leaveToOwner } from './file-owner.ts'
import type { Invocation } from './invocation.ts'
import { type TokenAccess, withTokenAccess } from './token-access.ts'

/** How long a command waits while another one writes the console's audit chain, in milliseconds. */
const lockWaitMs = 10_000

/** The context of a command that needs database and token, but not the services. */
export interface TokenContext {
  readonly config: Config
  readonly store: Store
  readonly token: TokenAccess
}

/** The context of a command that changes data: the services, and an audit trail that records every change. */
export interface ConsoleContext extends TokenContext {
  readonly services: Services
  /**
   * Makes one change under the operation `console.<operation>` in the audit trail. The transaction that `work` passes
   * to `commit` is committed after its record is on the disk. A refusal is recorded too.
   */
  readonly change: <T>(operation: string, target: string, work: (commit: Commit) => Promise<T>) => Promise<T>
}

/** Opens the database for commands that only read. It must exist, because only `strongroom init` creates it. */
export async function withStore<T>(config: Config, work: (store: Store) => Promise<T>): Promise<T> {
  const location = storeLocation(config)
  const absence = 'sqlite' in location ? absenceOf(location.sqlite, 'store.sqlite') : undefined
  if (absence !== undefined) throw new Fault('store.unavailable', `The database ${absence.detail}. ${absence.remedy}`)
  const store = await openPresentStore(config)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** Opens everything that a command needs to change data. */
export async function withAppliance<T>(
  invocation: Invocation,
  work: (context: ConsoleContext) => Promise<T>,
): Promise<T> {
  const config = loadConfig(invocation.config)
  // Loaded only here, because it is most of the code and other commands do not need it.
  const { createServices } = await import('../daemon/services.ts')
  return withToken(invocation, config, async ({ store, token }) => {
    await checkTakenOver(store.read)
    return withTrail({ config, store, hsm: token.hsm }, (audit) =>
      work({
        config,
        store,
        token,
        services: createServices({ config, store, hsm: token.hsm, clock: systemClock, audit }),
        change: (operation, target, change) => recorded({ store, audit }, operation, target, change),
      }),
    )
  })
}

/** Opens the console's audit chain, and closes it after `work`. */
async function withTrail<T>(
  { config, store, hsm }: { config: Config; store: Store; hsm: Hsm },
  work: (audit: AuditTrail) => Promise<T>,
): Promise<T> {
  const heads = createAuditHeads(store)
  await checkMachineName(config, heads, hsm)
  const audit = await createAuditTrail({
    ...config.audit,
    chain: chainName(config, 'console'),
    hsm,
    heads,
    clock: systemClock,
    lockWaitMs,
  })
  try {
    return await work(audit)
  } finally {
    await audit.close()
    leaveToOwner(config.audit.directory)
  }
}

export async function withToken<T>(
  invocation: Invocation,
  config: Config,
  work: (context: TokenContext) => Promise<T>,
): Promise<T> {
  return withStore(config, (store) => withTokenAccess(invocation, config, (token) => work({ config, store, token })))
}

/** What the audit trail says of one command. */
interface CommandRecord {
  /** Without its prefix `console.`. */
  readonly operation: string
  readonly target: string
  /** `performance.now()` at its beginning; absent for one that begins with its record. */
  readonly startedTick?: number
}

/** Writes one record of an operation that changes no row. */
export async function recordAt({ config, store, token }: TokenContext, command: CommandRecord): Promise<void> {
  const begun = { startedTick: performance.now(), ...command }
  await withTrail({ config, store, hsm: token.hsm }, (audit) => audit.append(consoleEvent(begun, 'allowed')))
}

/** The same for commands that change the token but not the database. Opens and closes both. */
export async function recordAlone(invocation: Invocation, config: Config, command: CommandRecord): Promise<void> {
  const begun = { startedTick: performance.now(), ...command }
  await withToken(invocation, config, (context) => recordAt(context, begun))
}

function consoleEvent({ operation, target, startedTick }: Required<CommandRecord>, outcome: string): AuditEvent {
  return {
    at: systemClock.now(),
    operation: `console.${operation}`,
    requestId: randomUUID(),
    outcome,
    username: operatorName(),
    address: 'console',
    target,
    ms: Math.round(performance.now() - startedTick),
  }
}

async function recorded<T>(
  { store, audit }: { store: Store; audit: AuditTrail },
  operation: string,
  target: string,
  work: (commit: Commit) => Promise<T>,
): Promise<T> {
  const command = { operation, target, startedTick: performance.now() }
  const commit = createRecordedCommit(store, async (tx) => {
    const event = await withRows(consoleEvent(command, 'allowed'), tx, recordedRows)
    return () => audit.append(event)
  })
  try {
    return await work(commit)
  } catch (error) {
    if (error instanceof Fault && error.code !== 'audit.unavailable')
      await audit.append(consoleEvent(command, error.code))
    throw error
  }
}
