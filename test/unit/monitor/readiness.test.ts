import { expect, it } from 'vitest'
import { createTrailState } from '../../../src/audit/trail-state.ts'
import type { Thresholds } from '../../../src/monitor/judgement.ts'
import type { Observation } from '../../../src/monitor/observation.ts'
import { readinessOf } from '../../../src/monitor/readiness.ts'

it('a failed write of the trail counts for half a minute, also where the clock was ahead then and nothing is written since', () => {
  const at = Date.parse('2026-01-01T00:00:00Z')
  const auditAfter = (failedAt: number | undefined) => {
    const trail = { ...createTrailState(), isOpen: true, failedAt }
    const workers = [
      { number: 1, isListening: true, restarts: 0, report: { trail, isDatabaseReached: true, certificate: {} } },
    ]
    const ready = { name: 'any', state: 'ready', losses: 0 }
    const quiet = { folders: [], clock: { behindMs: 0, forMs: 0 }, certificateEnds: {} }
    const seen = { at, workers, keeper: ready, hosts: [ready], keyMaker: ready, ...quiet } as unknown as Observation
    return readinessOf(seen, { clockMs: 60_000 } as Thresholds).checks.audit.state
  }
  const states = [undefined, at - 1_000, at - 31_000, at + 1_000, at + 31_000].map(auditAfter)
  expect(states).toEqual(['ok', 'failed', 'ok', 'failed', 'ok'])
})
