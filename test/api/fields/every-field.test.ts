import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AnyEndpoint } from '../../../src/http/contract/endpoint.ts'
import { faultCatalogue } from '../../../src/http/contract/faults.ts'
import { faultsOf } from '../../../src/http/contract/openapi-operation.ts'
import { tables } from '../../../src/daemon/tables.ts'
import type { Answer } from '../../support/client.ts'
import { contracts } from '../../support/contracts.ts'
import { expectUnharmed } from '../../support/health.ts'
import { goodCalls, type Arrange, type GoodCall } from './good-calls.ts'
import { makePremises, type Premises } from './premises.ts'
import { sendCall } from './sent-call.ts'
import { triesOf, type Try } from './tries.ts'

/**
 * Sends every wrong value in every field of every call. What the published document forbids is refused. A refusal is
 * one that is documented for the call, names the field, and changes nothing. New calls and fields are covered by their
 * contracts.
 */

/** All calls, except documents, and LIST, which HTTP/1.1 does not support: GET at the same address is equivalent. */
const calls = contracts.filter(({ method, document }) => document === undefined && method !== 'LIST')
const nameOf = ({ method, path }: AnyEndpoint): string => `${method} ${path}`

let at: Premises
let database: Database.Database

beforeAll(async () => {
  at = await makePremises()
  database = new Database(at.appliance.config.store.sqlite ?? '', { readonly: true })
})
afterAll(async () => {
  database.close()
  await expectUnharmed(at.appliance)
  await at.close()
})

it('every call of the interface has a form that succeeds', () => {
  expect(Object.keys(goodCalls).toSorted()).toEqual(calls.map(nameOf).toSorted())
})

const named = calls.map((contract) => [nameOf(contract), contract] as const)

it.each(named)('%s', { timeout: 300_000 }, async (name, contract) => {
  const problems: string[] = []
  for (const arrange of [goodCalls[name] ?? []].flat()) problems.push(...(await problemsOf(contract, arrange)))
  expect(problems).toEqual([])
})

async function problemsOf(contract: AnyEndpoint, arrange: Arrange): Promise<string[]> {
  const problems: string[] = []
  let good = await arrange(at)
  for (const one of triesOf(contract, complete(good), at.foreign)) {
    const before = stored()
    const call = one.spoil(complete(good))
    const answer = await sendCall(call.client ?? at.admin, contract, call, one.form)
    const isUnchanged = answer.status < 300 || good.oneTime !== undefined || stored() === before
    const problem = problemOf(contract, one, answer) ?? (isUnchanged ? undefined : 'changed something')
    if (problem !== undefined) problems.push(`${one.form} ${one.field}, ${one.what}: ${problem}`)
    if (answer.status < 300 && good.once) good = await arrange(at)
  }
  return problems
}

const complete = (call: GoodCall): GoodCall => ({ ...call, members: { ...call.members, ...call.oneTime?.() } })

function problemOf(contract: AnyEndpoint, { field, verdict }: Try, { status, json }: Answer): string | undefined {
  if (status < 300) return verdict === 'refused' ? 'was taken' : undefined
  const [number = ''] = Object.keys(json.ERRORCODES ?? {})
  const sentence = json.ERRORS?.join() ?? ''
  const told = `${status} ${number} ${sentence}`
  if (verdict === 'taken') return `was refused: ${told}`
  const code = faultsOf(contract).find((one) => String(faultCatalogue[one].number) === number)
  if (code === undefined) return `is not documented: ${told}`
  const row = faultCatalogue[code]
  if (status >= 500 || status !== row.status || json.ERRORCODES?.[number] !== row.text)
    return `is not in the catalogue: ${told}`
  if (code === 'request.invalid' && !sentence.includes(field)) return `does not name the field: ${told}`
  if (/invalid|pattern|undefined|\[object|NaN|\\d|error|\/\w+\/\w+\//i.test(sentence))
    return `is no plain sentence: ${told}`
  return undefined
}

/** Tables that each call writes whatever its outcome, or that periodic work empties. */
const incidental = [
  'sessions',
  'session_tokens',
  'audit_heads',
  'login_attempts',
  'login_places',
  'pending_destructions',
  'tombstones',
]

/** The content of the database. Read again only after a write. */
function stored(): string {
  const version = Number(database.pragma('data_version', { simple: true }))
  if (seen?.version !== version) seen = { version, rows: JSON.stringify(kept.map((table) => rowsOf(table).all())) }
  return seen.rows
}

let seen: { readonly version: number; readonly rows: string } | undefined
const kept = tables.map(({ options: { tableName = '' } }) => tableName).filter((name) => !incidental.includes(name))
const queries = new Map<string, Database.Statement>()

/**
 * The rows as lists of values, without the count of encryptions by a vault's key, which stays whatever the outcome of a
 * call.
 */
function rowsOf(table: string): Database.Statement {
  const known = queries.get(table)
  if (known !== undefined) return known
  const columns = database.pragma(`table_info(${table})`) as { readonly name: string }[]
  const names = columns.map(({ name }) => name).filter((name) => name !== 'key_uses')
  const query = database.prepare(`SELECT ${names.join(', ')} FROM ${table}`).raw()
  queries.set(table, query)
  return query
}
