import { z } from 'zod'
import { configSchema } from './schema.ts'

/** A node of the configuration's JSON Schema, with the keywords that the configuration uses. */
export interface SchemaNode {
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly format?: string
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly required?: readonly string[]
  readonly items?: SchemaNode
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
}

let written: SchemaNode | undefined

/**
 * The JSON Schema (draft 2020-12) of the configuration file. Paths have the format `path`. It is written when it is first
 * asked for, since a process that only reads its configuration does not need it.
 */
export function jsonSchema(): SchemaNode {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- zod's type allows `true` for a schema; it writes none here.
  written ??= z.toJSONSchema(configSchema, { io: 'input' }) as SchemaNode
  return written
}

export interface Option {
  /** The dotted name, for example `http.port`. */
  readonly name: string
  readonly node: SchemaNode
  readonly required: boolean
}

/** All options and sections; a section precedes its members. */
export function allOptions(node: SchemaNode = jsonSchema(), prefix = ''): Option[] {
  return Object.entries(node.properties ?? {}).flatMap(([key, child]) => [
    { name: prefix + key, node: child, required: node.required?.includes(key) ?? false },
    ...allOptions(child, `${prefix}${key}.`),
  ])
}

/**
 * The option whose name is most similar to a misspelt one, preferably in the same section; undefined if none is
 * similar.
 */
export function nearestOption(name: string): string | undefined {
  const [section, key] = split(name)
  const distances = allOptions().map((option) => {
    const [otherSection, otherKey] = split(option.name)
    return { name: option.name, distance: editDistance(key, otherKey) + (section === otherSection ? 0 : 1) }
  })
  const nearest = distances.reduce((a, b) => (b.distance < a.distance ? b : a))
  return nearest.distance <= Math.max(2, key.length / 3) ? nearest.name : undefined
}

function split(name: string): [section: string, key: string] {
  const dot = name.lastIndexOf('.')
  return [name.slice(0, Math.max(dot, 0)), name.slice(dot + 1)]
}

/**
 * The Levenshtein distance, the smallest number of single-letter changes that turn one word into the other, ignoring
 * case.
 */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (const [i, letter] of a.toLowerCase().split('').entries()) {
    const next = [i + 1]
    for (const [j, other] of b.toLowerCase().split('').entries()) {
      const changed = (row[j] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(changed, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
