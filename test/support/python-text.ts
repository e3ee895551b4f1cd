import type { Schema } from '../../src/http/contract/openapi-schemas.ts'

const width = 120

/** Converts names like `vault.member.add`, `batch_input` and `VAULTS` to a part of a Python class name. */
export const pascal = (name: string): string =>
  name
    .split(/[._]/)
    .map(
      (word) => (word[0] ?? '').toUpperCase() + (/^[A-Z]+$/.test(word) ? word.slice(1).toLowerCase() : word.slice(1)),
    )
    .join('')

/** `Literal[…]` for a schema that lists its values; undefined for others. */
export function literalOf(schema: Schema): string | undefined {
  const values = 'const' in schema ? [schema['const']] : schema['enum']
  if (!Array.isArray(values)) return undefined
  const written = values.map((value) =>
    typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value),
  )
  return `Literal[${written.join(', ')}]`
}

export function unionOf(types: readonly string[]): string {
  const some = [...new Set(types)].filter((type) => type !== 'None')
  const union = some.length === 1 ? String(some[0]) : `Union[${some.join(', ')}]`
  return types.includes('None') ? `Optional[${union}]` : union
}

/** A docstring in wrapped lines; empty for no text. */
export function docstring(text: unknown, indent: string): string[] {
  if (typeof text !== 'string' || text === '') return []
  const lines: string[] = []
  let line = `${indent}"""`
  for (const [at, word] of text
    .replaceAll('\\', String.raw`\\`)
    .split(' ')
    .entries()) {
    if (at > 0 && line.length + word.length + 4 > width) {
      lines.push(line)
      line = indent + word
    } else line += at === 0 ? word : ` ${word}`
  }
  return [...lines, `${line}"""`]
}
