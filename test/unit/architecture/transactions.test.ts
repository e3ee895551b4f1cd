import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../../../src')
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8')

/** The bodies of functions that take a `tx`, as prettier writes them. */
function workIn(text: string): string[] {
  const heads = text.matchAll(/\([^()]*\btx\b[^()]*\)(?:: [\w<>[\], |]+)?(?: =>\s|(?= \{))/g)
  return [...heads].map((head) => bodyFrom(text, head.index + head[0].length))
}

/** Up to the end of a block, or of the expression that begins there. */
function bodyFrom(text: string, start: number): string {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const character = text[at] ?? ''
    if ('([{'.includes(character)) depth++
    if (')]}'.includes(character)) depth--
    if (depth < 0) return text.slice(start, at)
    if (depth === 0 && (character === '}' || character === ',' || /^\n\s*\w/.test(text.slice(at, at + 40))))
      return text.slice(start, at + 1)
  }
  return text.slice(start)
}

/** `docs/decisions/0018-reads-inside-a-transaction-use-it.md` */
describe('a transaction', () => {
  it('is found where work is done in one', () => {
    expect(workIn('commit(async (tx) => {\n  await find(store, id)\n})\n')).toEqual(['{\n  await find(store, id)\n}'])
    expect(workIn('function give(tx: Tx, id: number): Promise<void> {\n  return put(tx)\n}\n')).toHaveLength(1)
    expect(workIn('store.transaction((tx) => find(store.read, id)).then(next)')).toEqual(['find(store.read, id)'])
    expect(files.flatMap((file) => workIn(textOf(file))).length).toBeGreaterThan(100)
  })

  it('is the only way to the database for the work in it', () => {
    const broken = files.filter((file) =>
      workIn(textOf(file)).some((body) => /\bstore\b(?!\.(conflict|unavailable))/.test(body)),
    )
    expect(broken).toEqual([])
  })

  it('can be handed to every query of the features', () => {
    const records = files.filter((file) => /^features\/.*records\.ts$/.test(file))
    expect(records.filter((file) => /\bStore\b/.test(textOf(file)))).toEqual([])
  })
})
