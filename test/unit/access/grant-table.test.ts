import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { keyOperations, objectOperations, type ScopedUse } from '../../../src/access/scope.ts'
import type { AnyEndpoint } from '../../../src/http/contract/endpoint.ts'
import { contracts } from '../../support/contracts.ts'

const path = resolve(import.meta.dirname, '../../../docs/applications.md')
const inVaults = contracts.filter(({ access, method }) => access.kind === 'vault' && method !== 'LIST')

const callOf = ({ method, path: address }: AnyEndpoint): string =>
  `\`${method} ${address.replaceAll(/:(\w+)/g, '{$1}')}\``

/** The forms of a call that ask for more than one thing. */
const forms = [{}, { decrypt: 'true' }, { filedata: 'true' }, { children: 'true' }]
const usesOf = ({ scopedUse }: AnyEndpoint): ReadonlySet<ScopedUse> =>
  new Set(
    typeof scopedUse === 'function'
      ? forms.flatMap((form) => scopedUse(form))
      : scopedUse === undefined
        ? []
        : [scopedUse],
  )

/** What is of no vault; the call says it itself. */
const ofNoVault: Partial<Record<ScopedUse, string>> = {
  'key.random': '`POST /transparent/random`, of a service account (people draw bytes without)',
}

function table(): string {
  const uses: ScopedUse[] = [
    ...keyOperations.map((one): ScopedUse => `key.${one}`),
    ...objectOperations.map((one): ScopedUse => `object.${one}`),
  ]
  const rows = uses.map((use) => {
    const calls = inVaults.filter((contract) => usesOf(contract).has(use)).map(callOf)
    const [subject, operation] = use.split('.')
    const also = use === 'object.list' ? ['`GET /find`'] : []
    const named = [...calls, ...also, ...(ofNoVault[use] === undefined ? [] : [ofNoVault[use]])]
    return `| ${subject === 'key' ? 'keys' : 'objects'} | \`${operation}\` | ${named.join(', ')} |`
  })
  return ['| of | operation | calls |', '| --- | --- | --- |', ...rows].join('\n')
}

describe('the table of operations and calls in docs/applications.md', () => {
  it('is what the contracts say: GOLDEN=write npx vitest run test/unit/access/grant-table.test.ts', () => {
    const text = readFileSync(path, 'utf8')
    const found = /\| of \| operation \| calls \|\n(?:\|.*\n)+/.exec(text)?.[0]
    if (found === undefined) throw new Error('the table is missing')
    if (process.env['GOLDEN'] === 'write')
      writeFileSync(
        path,
        text.replace(found, () => `${table()}\n`),
      )
    else expect(found.trim()).toBe(table())
  })

  it('has a call for each operation', () => {
    expect(table()).not.toMatch(/\| {2}\|/)
  })
})
