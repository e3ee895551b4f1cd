import type { Clock } from '../../clock.ts'
import type { AnyEndpoint } from '../contract/endpoint.ts'
import type { JsonObject } from '../contract/envelope.ts'
import type { RequestContext } from '../pipeline/request-context.ts'

/** Makes the echo in DATA from the members of a call. No other function removes secrets. */
export type Echo = (request: RequestContext, echoed: Echoed) => Promise<JsonObject>

/** The part of a contract that determines the echo; for a call that matches no endpoint it is made from the path. */
export type Echoed = Pick<AnyEndpoint, 'unechoed'>

/** How long the names of secret members that were read for one call serve the unidentified calls after it. */
const namesKeptMs = 10_000

export function createEcho(clock: Clock): Echo {
  const kept = new Map<Echoed, { readonly at: number; readonly names: Promise<readonly string[]> }>()

  function namesOf(contract: Echoed, isIdentified: boolean, find: () => Promise<readonly string[]>) {
    const known = kept.get(contract)
    if (!isIdentified && known !== undefined && Math.abs(clock.now() - known.at) < namesKeptMs) return known.names
    const names = find()
    kept.set(contract, { at: clock.now(), names })
    return names
  }

  return async ({ sent, caller }, contract) => {
    const { unechoed = [] } = contract
    if (unechoed === 'all' || sent === undefined || (caller === undefined && !sent.isEchoed)) return {}
    const { members } = sent
    if (typeof unechoed !== 'function') return unechoed.length === 0 ? members : without(members, new Set(unechoed))
    // While the names cannot be read, every member counts as secret.
    const names = await namesOf(contract, caller !== undefined, unechoed).catch(() => Object.keys(members))
    return without(members, new Set(names))
  }
}

function without(members: object, names: ReadonlySet<string>): JsonObject {
  const echoed = Object.keys(members).filter((name) => !names.has(name))
  return Object.fromEntries(echoed.map((name) => [name, withoutInside(Reflect.get(members, name), names)]))
}

function withoutInside(value: unknown, names: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((one) => withoutInside(one, names))
  return typeof value === 'object' && value !== null ? without(value, names) : value
}
