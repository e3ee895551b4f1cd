import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AnyEndpoint } from '../../../src/http/contract/endpoint.ts'
import { manyOf, withOperationIds, type Example } from '../../../src/http/contract/example.ts'
import { inputSchema, membersOf } from '../../../src/http/contract/openapi-schemas.ts'
import { contracts } from '../../support/contracts.ts'
import { goodCalls, type Arrange, type GoodCall } from '../fields/good-calls.ts'
import { makePremises, type Premises } from '../fields/premises.ts'
import { sendCall } from '../fields/sent-call.ts'
import { documented } from './documented-call.ts'
import { instructiveCalls } from './instructive-calls.ts'

/**
 * Sends each example of the OpenAPI document to a running appliance, and compares call and answer with the document.
 * `GOLDEN=write npx vitest run test/api/http/examples.test.ts` rewrites them.
 */
const folder = resolve(import.meta.dirname, '../../../src/http/examples')
const takesMany = ({ body }: AnyEndpoint): boolean =>
  membersOf(inputSchema(body)).some(({ name }) => name === 'batch_input')
const calls = withOperationIds(contracts)
  .filter(({ contract }) => contract.document === undefined)
  .flatMap((call) => (takesMany(call.contract) ? [call, { ...call, operationId: manyOf(call.operationId) }] : [call]))

let at: Premises
beforeAll(async () => {
  if (process.env['GOLDEN'] === 'write') {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder)
  }
  at = await makePremises()
})
afterAll(() => at.close())

it.each(calls.map((call) => [call.operationId, call] as const))('%s', async (operationId, { contract }) => {
  const name = `${contract.method} ${contract.path}`
  const arrange: Arrange | undefined = instructiveCalls[operationId] ?? [goodCalls[name] ?? []].flat()[0]
  if (arrange === undefined) throw new Error(`no form of ${name} that succeeds: add one to good-calls.ts`)
  const seen = await exampleOf(contract, await arrange(at))
  const file = resolve(folder, `${operationId}.json`)
  if (process.env['GOLDEN'] === 'write') writeFileSync(file, `${JSON.stringify(seen, undefined, 2)}\n`)
  expect(seen).toEqual(JSON.parse(readFileSync(file, 'utf8')))
})

it('are of the calls that there are', () => {
  expect(readdirSync(folder).toSorted()).toEqual(calls.map(({ operationId }) => `${operationId}.json`).toSorted())
})

async function exampleOf(contract: AnyEndpoint, call: GoodCall): Promise<Example> {
  const { client = at.admin, params = {}, file, oneTime } = call
  const members = { ...call.members, ...oneTime?.() }
  const answer = await sendCall(client, contract, { ...call, members })
  expect(answer.json.ERRORS).toBeUndefined()
  return documented({
    ...(Object.keys(params).length > 0 && { params }),
    ...(Object.keys(members).length > 0 && { members }),
    ...(file !== undefined && { file }),
    answer: answer.json,
  }) as Example
}
