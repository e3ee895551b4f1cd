import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import { z } from 'zod'
import type { AnyEndpoint } from '../../src/http/contract/endpoint.ts'
import type { Envelope } from './client.ts'
import { contracts } from './contracts.ts'

const served = contracts.map((contract) => ({
  contract,
  pattern: new RegExp(`^${contract.path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}/?$`),
}))

/** Members of every envelope. The others belong to the reply. */
const common = new Set(['CALLINFO', 'DATA', 'HEADERS', 'PARAMS'])
const commonCallinfo = new Set(['status', 'handler', 'errors', 'errorcodes', 'general', 'token'])

/**
 * Expects that a success contains exactly the members that the contract of its call documents (and OpenAPI with it), in
 * these types.
 */
export function checkReply(method: string, path: string, status: number, json: Envelope): void {
  const contract = contractOf(method, path)
  expect(status).toBe(contract.success)
  expect(json.CALLINFO.handler).toBe(contract.handler)
  const { callinfo = nothing, data = anything, members = nothing } = contract.reply ?? {}
  expectOnly(callinfo, without(json.CALLINFO, commonCallinfo))
  expectOnly(members, without(json, common))
  expectOnly(data, json.DATA)
}

const nothing = z.object({})
const anything = z.unknown()

function contractOf(method: string, path: string): AnyEndpoint {
  const [place = ''] = path.split('?')
  const found = served.find(({ contract, pattern }) => contract.method === method && pattern.test(place))
  if (found === undefined) throw new Error(`no contract of the interface is ${method} ${place}`)
  return found.contract
}

/**
 * A parsed value lacks members that its contract does not name. `expect` runs only where the two differ, which saves
 * time.
 */
function expectOnly(schema: z.ZodType, value: unknown): void {
  const named = schema.parse(value)
  if (!isDeepStrictEqual(named, value)) expect(named).toEqual(value)
}

function without(members: object, names: ReadonlySet<string>): object {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.has(name)))
}
