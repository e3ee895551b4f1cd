import { expect, test } from 'vitest'
import { createRowReplay } from '../../../src/audit/row-replay.ts'

const position = { file: 'worker-1.000001.jsonl', line: 1 }
const told = (row: string, state: string, at: number): string =>
  `"at":${at},"rows":{"${row}":"${state}"},"rowsAt":${at}`

test('rows that may have been told of in an archive are not judged by what was told before it ended', () => {
  const rows = new Map([
    ['user 1', { state: 'of an archived record', since: 10 }],
    ['user 2', { state: 'made before', since: 20 }],
    ['user 3', { state: 'made after', since: 200 }],
    ['user 4', { state: 'told after', since: 5 }],
  ])
  const replayed = (knownFrom: number) => {
    const replay = createRowReplay(knownFrom)
    replay.event(told('user 1', 'older', 15), position)
    replay.event(told('user 4', 'told after', 150), position)
    const { unjudged, findings } = replay.compare({ rows, places: new Map() }, 1_000)
    return { unjudged, findings: findings.map(({ row, kind }) => `${row} ${kind}`) }
  }
  expect(replayed(0)).toEqual({ unjudged: 0, findings: ['user 1 changed', 'user 2 unknown', 'user 3 unknown'] })
  expect(replayed(100)).toEqual({ unjudged: 2, findings: ['user 3 unknown'] })
})

test('a row is as the trail says, too, where an earlier release told of it in other words', () => {
  const found = (state: string) => {
    const replay = createRowReplay()
    replay.event(told('key 1/k', 'disabled=1,2,3', 15), position)
    const rows = new Map([['key 1/k', { state: 'disabled=sha256:aa', earlier: state, since: 10 }]])
    return replay.compare({ rows, places: new Map() }, 1_000).findings.map(({ kind }) => kind)
  }
  expect(found('disabled=1,2,3')).toEqual([])
  expect(found('disabled=1,2')).toEqual(['changed'])
})

test('what was told by a clock that was ahead is older than what the same process told next', () => {
  const other = { file: 'worker-2.000001.jsonl', line: 1 }
  const found = (state: string, vault: number) => {
    const replay = createRowReplay()
    replay.event(told('objects 7', 'vault=1 template=1', 2_000), position)
    // Ahead.
    replay.event(told('user 1', 'first', 9_000), position)
    replay.event(told('objects 7', 'vault=2 template=1 from=1', 9_100), position)
    // Set right.
    replay.event(told('user 2', 'another', 5_000), { file: 'worker-1.000002.jsonl', line: 1 })
    replay.event(told('user 1', 'second', 6_000), other)
    replay.event(told('objects 7', 'vault=3 template=1 from=2', 6_100), other)
    const rows = new Map([
      ['user 1', { state, since: 10 }],
      ['user 2', { state: 'another', since: 10 }],
    ])
    const places = new Map([[7, `vault=${vault} template=1`]])
    return replay.compare({ rows, places }, 10_000).findings.map(({ row, kind }) => `${row} ${kind}`)
  }
  expect(found('second', 3)).toEqual([])
  expect(found('first', 2)).toEqual(['user 1 older', 'object 7 older'])
})

test('a restore under a clock that was ahead does not hide what was told since', () => {
  const replay = createRowReplay()
  replay.event('"at":9000,"rows":{"objects":null},"rowsAt":9000', position)
  replay.event(told('objects 7', 'vault=1 template=1', 5_000), position)
  const places = new Map([[7, 'vault=2 template=1']])
  expect(replay.compare({ rows: new Map(), places }, 10_000).findings).toMatchObject([{ row: 'object 7' }])
})
