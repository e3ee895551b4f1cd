import { Fault } from '../../fault.ts'
import type { AnyEndpoint } from '../contract/endpoint.ts'
import type { JsonObject } from '../contract/envelope.ts'
import { inputSchema, isSchema, type Schema } from '../contract/openapi-schemas.ts'

const schemas = new WeakMap<AnyEndpoint, Schema>()

/**
 * Refuses unknown members: an `aad` that is misspelt as `add` would bind nothing, and no client would notice.
 * @param sent the members of query and body, as they were sent
 * @throws Fault `request.invalid`, which names the member and the most similar known one
 */
export function refuseUnknownMembers(contract: AnyEndpoint, sent: JsonObject): void {
  let schema = schemas.get(contract)
  if (schema === undefined) {
    schema = inputSchema(contract.body)
    schemas.set(contract, schema)
  }
  const { token: _token, ...members } = sent
  checkAgainst(schema, members, '')
}

function checkAgainst({ properties, additionalProperties, items }: Schema, value: unknown, path: string): void {
  if (Array.isArray(value) && isSchema(items))
    for (const [at, item] of value.entries()) checkAgainst(items, item, `${path}.${at}`)
  // An object that the contract leaves open, such as the fields of a template, has no list of names.
  if (!isSchema(value) || !isSchema(properties) || isSchema(additionalProperties)) return
  for (const [name, member] of Object.entries(value)) {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (known === undefined) throw unknownMember(path === '' ? name : `${path.slice(1)}.${name}`, name, properties)
    if (isSchema(known)) checkAgainst(known, member, `${path}.${name}`)
  }
}

/** An answer repeats no more than this of a name that the client chose. */
const shownCharacters = 64

function unknownMember(path: string, name: string, properties: Schema): Fault {
  const nearest = nearestOf(name.slice(0, shownCharacters), Object.keys(properties))
  const shown = path.length > shownCharacters ? `${path.slice(0, shownCharacters)}…` : path
  const hint = nearest === undefined ? 'leave it out' : `did you mean ${nearest}? Else leave it out`
  return new Fault(
    'request.invalid',
    `${shown} is not a member of this call, and unknown ones are refused here: ${hint}.`,
  )
}

/** The known name with the least distance, if it is similar enough to be meant. */
function nearestOf(name: string, known: readonly string[]): string | undefined {
  const most = Math.max(2, Math.floor(name.length / 3))
  const distances = known.map((one) => [one, distance(name.toLowerCase(), one.toLowerCase())] as const)
  const [best] = distances.toSorted(([, one], [, other]) => one - other)
  return best !== undefined && best[1] <= most ? best[0] : undefined
}

/** Levenshtein distance: insertions, deletions and replacements of one character. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [line, letter] of Array.from(one).entries()) {
    const next = [line + 1]
    for (let at = 1; at <= other.length; at++) {
      const replaced = (row[at - 1] ?? 0) + (letter === other[at - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}
