import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')
const decisions = readdirSync(join(root, 'docs/decisions')).filter((name) => /^\d{4}-/.test(name))
const documents = [
  ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`),
  ...decisions.map((name) => `docs/decisions/${name}`),
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
].filter((name) => name.endsWith('.md'))

const read = (name: string): string => readFileSync(join(root, name), 'utf8')

/** The headings of a document, as links name them. */
const headingsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )

/** Where a path that a document names may start. */
const starts = ['', 'src', 'test', 'docs']

describe('documents', () => {
  it.each(documents)('%s names files that exist', (name) => {
    const named = [...read(name).matchAll(/`([\w./-]+\/[\w.-]+\.(?:ts|md|c|mjs|json))`/g)].map(
      (match) => match[1] ?? '',
    )
    expect(named.filter((path) => !starts.some((start) => existsSync(join(root, start, path))))).toEqual([])
  })

  it.each([...documents, 'config/README.md', 'softhsm/README.md', 'systemd/README.md'])(
    '%s links to headings that exist',
    (name) => {
      const links = [...read(name).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)]
      const isThere = (path: string, heading: string | undefined): boolean => {
        const target = path === '' ? name : join(dirname(name), path)
        if (!existsSync(join(root, target))) return false
        return heading === undefined || headingsOf(read(target)).includes(heading)
      }
      expect(links.map(([link, path = '', heading]) => (isThere(path, heading) ? '' : link)).join('')).toBe('')
    },
  )

  it("messages name sections of the operator's pages that exist", () => {
    const texts = ['src', 'scripts', 'config'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')),
    )
    const named = texts.flatMap((text) =>
      [...text.matchAll(/"([^"]+)" in (docs\/[\w-]+\.md)|(docs\/[\w-]+\.md)[:,] ([A-Z][\w' ]+)/g)].map(
        ([, before, page, pageFirst, after]) => ({ page: page ?? pageFirst ?? '', section: before ?? after ?? '' }),
      ),
    )
    expect(named.length).toBeGreaterThan(8)
    const isThere = ({ page, section }: { page: string; section: string }): boolean =>
      read(page).includes(`# ${section}\n`)
    expect(named.filter((one) => !isThere(one))).toEqual([])
  })

  it('security names tests, or folders of them, that exist', () => {
    const named = [...read('docs/security.md').matchAll(/`((?:api|attacks|clients|system|unit|web)\/[\w/-]+)`/g)]
    expect(named.length).toBeGreaterThan(100)
    const isThere = (name: string) => ['', '.test.ts'].some((end) => existsSync(join(root, 'test', name + end)))
    expect(named.map(([, name]) => name ?? '').filter((name) => !isThere(name))).toEqual([])
  })

  it('lists every decision in the index, by its title', () => {
    const index = read('docs/decisions/README.md')
    expect(index.match(/\]\(\d{4}-/g)).toHaveLength(decisions.length)
    for (const name of decisions) {
      const title = /^# \d+\. (.*)/.exec(read(`docs/decisions/${name}`))?.[1]
      expect(index).toContain(`[${title}](${name})`)
    }
  })
})

/** Idioms of another language, and the English for them. */
const calques: readonly (readonly [RegExp, string])[] = [
  [/\bof before\b(?!\))/, 'earlier, previous, old'],
  [/\b(?:broken off|broke off)\b/i, 'interrupted'],
]

describe('plain English', () => {
  // The session is what a terminal showed; names of files stay, because others link to them.
  const pages = [...documents, 'CHANGELOG.md', 'config/README.md', 'softhsm/README.md', 'systemd/README.md']
    .filter((name) => name !== 'docs/operations-session.md')
    .map((name) => [name, read(name).replaceAll(/\([\w./-]+\.md[^)]*\)/g, '')] as const)
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => [`src/${name}`, textsIn(read(`src/${name}`))] as const)

  it.each(calques)('has no %s, but: %s', (pattern) => {
    expect([...pages, ...sources].filter(([, text]) => pattern.test(text)).map(([name]) => name)).toEqual([])
  })
})

/** A source without its comments. */
function textsIn(source: string): string {
  return source.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$|\s\/\/ .*$/gm, '')
}
