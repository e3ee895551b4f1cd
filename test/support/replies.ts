import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import { z } from 'zod'
import type { AnyEndpoint } from '../../src/http/contract/endpoint.ts'
import { faultCatalogue } from '../../src/http/contract/faults.ts'
import { anywhere, faultsOf } from '../../src/http/contract/openapi-operation.ts'
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

/** Expects that a failure is one that the document lists for the call, or for any call. */
export function checkRefusal(method: string, path: string, json: Envelope): void {
  const contract = findContract(method, path)
  if (contract === undefined) return
  const documented = [...faultsOf(contract), ...anywhere].map((code) => String(faultCatalogue[code].number))
  const own = Object.keys(json.ERRORCODES ?? {}).filter((number) => number !== '2000')
  expect(documented, `${method} ${contract.path} is answered with what its document does not list`).toEqual(
    expect.arrayContaining(own),
  )
}

const nothing = z.object({})
const anything = z.unknown()

function contractOf(method: string, path: string): AnyEndpoint {
  const found = findContract(method, path)
  if (found === undefined) throw new Error(`no contract of the interface is ${method} ${path}`)
  return found
}

function findContract(method: string, path: string): AnyEndpoint | undefined {
  const [place = ''] = path.split('?')
  return served.find(({ contract, pattern }) => contract.method === method && pattern.test(place))?.contract
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
