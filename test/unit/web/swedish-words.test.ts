import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const folder = resolve(import.meta.dirname, '../../../src/web')
const catalogues = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
  /(?:-words|-names|\/sv)\.tsx?$/.test(name),
)

/** Words for what another word of the console means already: that one stands behind each. */
const second = {
  systemet: /apparat/i,
  hårdvarunyckel: /maskinvar|(?<!dator eller )säkerhetsnyckel(?!n)/i,
  operatören: /\bdriften\b/i,
  Applikationsnyckel: /programnyck/i,
  förhandsgranskning: /förhandsvis/i,
  kodgenerator: /koddosa/i,
}

it('each thing has one word in Swedish', () => {
  expect(catalogues.length).toBeGreaterThan(20)
  const found = catalogues.flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .flatMap((line) =>
        Object.entries(second)
          .filter(([, other]) => other.test(line))
          .map(([word]) => `${name}: ${word}, not as in:${line}`),
      ),
  )
  expect(found).toEqual([])
})
