import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { genericNumber } from '../../../src/http/contract/fault-row.ts'
import { faultCatalogue } from '../../../src/http/contract/faults.ts'

const golden = fileURLToPath(new URL('../../../docs/errors.md', import.meta.url))

describe('the error catalogue', () => {
  const rows = Object.entries(faultCatalogue)

  it('gives every code a number of its own', () => {
    const numbers = rows.map(([, { number }]) => number)
    expect(new Set(numbers).size).toBe(numbers.length)
    expect(numbers).not.toContain(genericNumber)
  })

  it('says what to do in one or two sentences, with a status that is an error', () => {
    for (const [code, { status, text }] of rows) {
      expect(status, code).toBeGreaterThanOrEqual(400)
      expect(text, code).toMatch(/^[A-Z].{15,}\.$/)
    }
  })

  // `GOLDEN=write` writes it anew; the change is then there to be read in the diff.
  it('is what docs/errors.md says', () => {
    const page = errorsPage()
    if (process.env['GOLDEN'] === 'write') writeFileSync(golden, page)
    expect(readFileSync(golden, 'utf8')).toBe(page)
  })
})

function errorsPage(): string {
  const lines = Object.entries(faultCatalogue)
    .toSorted(([, one], [, other]) => one.number - other.number)
    .map(([code, { number, status, text }]) => `| ${number} | ${status} | \`${code}\` | ${text} |`)
  return `# Errors

Every failure has a status other than that of its success, \`CALLINFO.status\` \`FAIL\`, and two members in \`ERRORCODES\`: the
number of its row here, and ${genericNumber}, which says that \`ERRORS\` holds a sentence for people. The sentence may be more precise than
the one below. Numbers are never reused. This page is written from \`src/http/contract/faults.ts\` by \`test/unit/http/errors.test.ts\`.

| number | status | code | text |
| --- | --- | --- | --- |
${lines.join('\n')}
`
}
