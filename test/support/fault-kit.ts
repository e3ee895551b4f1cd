import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { createAuditHeads } from '../../src/audit/records.ts'
import { readPublicKey } from '../../src/audit/public-key.ts'
import { verifyTrail } from '../../src/audit/trail-verification.ts'
import type { TestAppliance } from './appliance.ts'
import type { Answer, Envelope, TestClient } from './client.ts'
import { commandsBelow } from './processes.ts'
import type { TestToken } from './token.ts'

/** Process ids of a running daemon, by the role of the process. */
export interface Processes {
  readonly workers: readonly number[]
  /** The process that waits to replace a worker. */
  readonly spare: readonly number[]
  readonly hosts: readonly number[]
  /** The token host that makes RSA keys. */
  readonly keyMaker: readonly number[]
  readonly keeper: readonly number[]
}

export function processesOf(appliance: TestAppliance): Processes {
  const { pid } = appliance
  const children = [...commandsBelow(pid)]
  const named = (words: string) => children.filter(([, command]) => command.includes(words)).map(([child]) => child)
  const keyMaker = named('key-maker.sock')
  const hosts = named('strongroom-tokend.js').filter((host) => !keyMaker.includes(host))
  const [workers, spare] = [named('strongroomd: worker'), named('strongroomd: spare')]
  return { workers, spare, hosts, keyMaker, keeper: named('strongroom-keeper.js') }
}

/** Outcomes of each call in the files of the trail, by its request id. */
export function outcomesIn(directory: string): Map<string, string[]> {
  const outcomes = new Map<string, string[]>()
  for (const file of readdirSync(directory).filter((name) => name.endsWith('.jsonl'))) {
    for (const line of readFileSync(join(directory, file), 'latin1').split('\n').slice(0, -1)) {
      const { type, requestId, outcome } = JSON.parse(line) as Record<string, string>
      if (type === 'event' && requestId) outcomes.set(requestId, [...(outcomes.get(requestId) ?? []), outcome ?? ''])
    }
  }
  return outcomes
}

export const requestIdOf = ({ headers }: Answer): string => String(headers['x-request-id'])

/** Expects a valid trail by the token's key and the heads in the database. Resolves to its chains. */
export async function expectSoundTrail(appliance: TestAppliance, heads = createAuditHeads(appliance.store)) {
  const { directory } = appliance.config.audit
  const publicKey = await readPublicKey(directory)
  if (publicKey === undefined) throw new Error('no public key lies beside the trail')
  const { chains } = await verifyTrail({ directory, publicKey, heads: await heads.read() })
  expect(chains.flatMap(({ chain, findings }) => findings.map((finding) => ({ chain, ...finding })))).toEqual([])
  return chains
}

/** The number of objects in a token: SoftHSM2 keeps each in a file of its own. */
export function objectsIn({ tokenDirectory }: TestToken): number {
  return readdirSync(tokenDirectory, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.object'))
    .length
}

export async function countOf(appliance: TestAppliance, table: string): Promise<number> {
  const [row] = await appliance.store.query<{ count: number }>(`SELECT count(*) AS count FROM ${table}`, [])
  return Number(row?.count)
}

/** The result of a call that may not have reached the daemon, or whose answer may be lost. */
export type Outcome = Answer | { readonly lost: string }

/**
 * Makes a call. Resolves to the answer, or to `lost` where the connection ended before it. An answer that breaks the
 * envelope still throws.
 */
export async function attempt(client: TestClient, method: string, path: string, body?: unknown): Promise<Outcome> {
  try {
    return await client.call(method, path, { body })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (['ECONNREFUSED', 'ECONNRESET', 'EPIPE'].includes(code)) return { lost: code }
    throw error
  }
}

const isSuccess = ({ status }: Answer): boolean => status < 300

/** The answers of calls that succeeded. */
export function doneOf(outcomes: readonly Outcome[]): Answer[] {
  return outcomes.flatMap((outcome) => ('lost' in outcome || !isSuccess(outcome) ? [] : [outcome]))
}

/** Status and error number in short. */
export function verdict(outcome: Outcome): string {
  if ('lost' in outcome) return outcome.lost
  return isSuccess(outcome) ? 'done' : `${outcome.status} ${Object.keys(outcome.json.ERRORCODES ?? {})[0]}`
}

/** A member of CALLINFO, as text. */
export const said = (answer: Answer, member: string): string => String(answer.json.CALLINFO[member])

export const vaultIdOf = ({ json }: { json: Envelope }): string => (json['VAULT'] as [{ id: string }])[0].id

/** Runs `work` repeatedly in several concurrent loops while `faults` happen. */
export async function under<T>(
  loops: number,
  work: (loop: number, round: number) => Promise<void>,
  faults: () => Promise<T>,
) {
  const load = { isOver: false }
  const running = Promise.all(
    Array.from({ length: loops }, async (_, loop) => {
      for (let round = 0; !load.isOver; round++) await work(loop, round)
    }),
  )
  running.catch(() => (load.isOver = true))
  try {
    return await faults()
  } finally {
    load.isOver = true
    await running
  }
}

/** Waits until `probe` returns true, at most for the time limit of the test. */
export async function eventually(probe: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await probe())) await new Promise((resolve) => setTimeout(resolve, 50))
}

/** Columns that change by uses, failures and the appliance itself, whatever the outcome of a call. */
const passing = new Set(
  'counter ticks drift_steps used_at failed_logins last_failed_login_at key_uses last_seen_at uses'.split(' '),
)
const ownTables = /^(sqlite_|object_trigrams|login_|audit_heads|floor_news|migrations)/

/** A hash of each table in the database, without the columns of `passing`. */
export async function stateOf({ store }: TestAppliance): Promise<Readonly<Record<string, string>>> {
  const ofDialect = {
    sqlite: "SELECT name FROM sqlite_master WHERE type = 'table'",
    postgres: "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
  }
  const tables = await store.query<{ name: string }>(ofDialect[store.dialect], [])
  const hashes = tables
    .filter(({ name }) => !ownTables.test(name))
    .map(async ({ name }) => [name, hashOf(await store.query(`SELECT * FROM ${name} ORDER BY 1, 2`, []))] as const)
  return Object.fromEntries(await Promise.all(hashes))
}

function hashOf(rows: readonly object[]): string {
  const told = rows.map((row) =>
    Object.entries(row).flatMap(([column, value]) => {
      if (passing.has(column)) return []
      return [Buffer.isBuffer(value) ? hash('sha256', value) : value]
    }),
  )
  return `${rows.length} rows, ${hash('sha256', JSON.stringify(told))}`
}
