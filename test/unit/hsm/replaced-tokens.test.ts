import Database from 'better-sqlite3'
import { expect, it, vi } from 'vitest'
import { createReplacedTokens } from '../../../src/hsm/keeper/replaced-tokens.ts'

it('a session whose token was replaced often is judged without reading all of its tokens', () => {
  const state = new Database(':memory:')
  const prepare = vi.spyOn(state, 'prepare')
  createReplacedTokens(state, true, Date.now)
  const searches = prepare.mock.calls.filter(([sql]) => /WHERE session/.test(sql))
  const steps = searches.flatMap(([sql]) =>
    state.prepare<unknown[], { readonly detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(
      sql
        .replaceAll(/[^?]/g, '')
        .split('')
        .map(() => null),
    ),
  )
  expect(steps).toHaveLength(2)
  for (const { detail } of steps) expect(detail).toMatch(/\(session=\? AND (?:next|token)=\?/)
})
