import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const folder = resolve(import.meta.dirname, '../../../dist/web')
const page = readFileSync(join(folder, 'index.html'), 'utf8')
const views = readdirSync(join(folder, 'assets')).filter((name) => /-view-[^.]+\.js$/.test(name))
const named = readFileSync(resolve(import.meta.dirname, '../../../src/web/views.tsx'), 'utf8')

/** Compressed, as browsers take it. */
const kib = (names: Iterable<string>): number =>
  [...names].reduce((sum, name) => sum + statSync(join(folder, 'assets', `${name}.br`)).size, 0) / 1024

/** A script, and all that it needs before it runs. */
function withImports(name: string, known = new Set<string>()): Set<string> {
  if (known.has(name)) return known
  known.add(name)
  const text = readFileSync(join(folder, 'assets', name), 'utf8')
  for (const [, other = ''] of text.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) withImports(other, known)
  return known
}

const first = new Set(
  [...page.matchAll(/"\/assets\/([^"]+\.(js|css))"/g)].flatMap(([, name = '', kind]) =>
    kind === 'js' ? [...withImports(name)] : [name],
  ),
)

const styles = readdirSync(join(folder, 'assets')).filter((name) => name.endsWith('.css'))

describe("the console's size", () => {
  it('is at most 150 KiB for the first sight, scripts and styles together', () => {
    // A view whose own styles were lost on the way would be shown without them.
    expect([...first].filter((name) => name.endsWith('.css'))).toEqual(styles)
    expect(kib(first)).toBeGreaterThan(40)
    expect(kib(first)).toBeLessThanOrEqual(150)
  })

  it('is at most 40 KiB for each further view', () => {
    const later = [...named.matchAll(/import\('[^']*?([\w-]+)-view\.tsx'\)/g)].map(([, name = '']) => name)
    expect(later).toContain('vault')
    expect(views.map((name) => name.replace(/-view-.*/, ''))).toEqual(expect.arrayContaining(later))
    for (const view of views) {
      const further = [...withImports(view)].filter((name) => !first.has(name))
      expect(further).toContain(view)
      expect(kib(further)).toBeLessThanOrEqual(40)
    }
  })

  it('is at most 560 KiB for what draws a PDF file and 80 KiB for what opens a protected one, once there is one', () => {
    const workers = readdirSync(join(folder, 'assets')).filter((name) => /-worker-[^.]+\.js$/.test(name))
    const sizes = new Map(workers.map((name) => [name.replace(/-worker-.*/, ''), kib([name])]))
    expect([...sizes.keys()].toSorted()).toEqual(['drawing', 'opening'])
    expect(sizes.get('drawing')).toBeLessThanOrEqual(560)
    expect(sizes.get('opening')).toBeLessThanOrEqual(80)
    for (const name of views) expect([...withImports(name)].filter((one) => workers.includes(one))).toEqual([])
  })

  it('is what docs/web-console.md says', () => {
    const text = readFileSync(resolve(import.meta.dirname, '../../../docs/web-console.md'), 'utf8')
    const chapter = /^## What is loaded\n([^]*?)^## /m.exec(text)?.[1] ?? ''
    const said = [...chapter.matchAll(/\| +(\d+) \|$/gm)].map(([, number]) => Number(number))
    const sizeOf = (start: string) =>
      kib(readdirSync(join(folder, 'assets')).filter((name) => name.startsWith(start) && name.endsWith('.js')))
    const largest = Math.max(...views.map((view) => kib([...withImports(view)].filter((name) => !first.has(name)))))
    const measured = [kib(first), largest, sizeOf('opening-worker'), sizeOf('drawing-worker')]
    expect(said).toHaveLength(measured.length)
    for (const [at, size] of measured.entries()) expect(Math.abs(size / (said[at] ?? 0) - 1)).toBeLessThan(0.1)
  })

  it('is that of React for use, not for development', () => {
    const scripts = [...first].filter((name) => name.endsWith('.js'))
    for (const name of scripts)
      expect(readFileSync(join(folder, 'assets', name), 'utf8')).not.toContain('React DevTools')
  })

  it('asks no other host for anything', () => {
    const texts = readdirSync(join(folder, 'assets'))
      .filter((name) => name.endsWith('.css'))
      .map((name) => readFileSync(join(folder, 'assets', name), 'utf8'))
    for (const text of [page, ...texts]) expect(text).not.toMatch(/(?:src|href|url\()=?["']?(?:https?:)?\/\//)
  })
})
