import Database from 'better-sqlite3'
import { expect, it, vi } from 'vitest'
import { createReplacedTokens } from '../../../src/hsm/keeper/replaced-tokens.ts'

it('a session whose token was replaced often is judged without reading all of its tokens', () => {
  const state = new Database(':memory:')
  const prepare = vi.spyOn(state, 'prepare')
  createReplacedTokens(state, true, { now: Date.now, elapsed: Date.now })
  const searches = prepare.mock.calls.filter(([sql]) => /WHERE session/.test(sql))
  const steps = searches.flatMap(([sql]) =>
    state.prepare<unknown[], { readonly detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(
      sql
        .replaceAll(/[^?]/g, '')
        .split('')
        .map(() => null),
    ),
  )
  expect(steps).toHaveLength(3)
  for (const { detail } of steps) expect(detail).toMatch(/\(session=\? AND (?:next|token)=\?/)
})

it('parallel calls with one replaced token count as one replacement', () => {
  const session = { identity: Buffer.alloc(16, 1), tokenHash: 'next', expiresAt: 1e12 }
  const tokens = createReplacedTokens(new Database(':memory:'), true, { now: () => 0, elapsed: () => 0 })
  for (let call = 0; call < 300; call++) tokens.note(session, { tokenHash: 'first' })
  expect(() => {
    for (let call = 0; call < 300; call++) tokens.note({ ...session, tokenHash: `${call}` }, { tokenHash: 'next' })
  }).toThrow('replaced too often')
})

it('a clock that is set back keeps no session from being given tokens', () => {
  const session = { identity: Buffer.alloc(16, 1), tokenHash: 'first', expiresAt: 1e12 }
  let [now, elapsed] = [1e9, 0]
  const clocks = { now: () => now, elapsed: () => elapsed }
  const tokens = createReplacedTokens(new Database(':memory:'), true, clocks)
  tokens.note(session, { tokenHash: 'none' })
  ;[now, elapsed] = [0, 1_000]
  expect(() => tokens.note({ ...session, tokenHash: 'next' }, session)).not.toThrow()
})
