import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { AuditHeadTable, createAuditHeads } from '../../../src/audit/records.ts'
import { openStore } from '../../../src/store/open.ts'
import { eventOf } from '../../support/event-kit.ts'
import { givenBench, givenDirectory } from '../../support/trail-kit.ts'

async function givenStore() {
  const store = await openStore({ sqlite: join(givenDirectory(), 'strongroom.db') }, [AuditHeadTable])
  onTestFinished(() => store.close())
  return store
}

const at = (seq: number) => ({ seq, hash: `hash ${seq}`, line: `line ${seq}` })

describe('the registry of heads', () => {
  test('keeps the furthest head of each chain', async () => {
    const heads = createAuditHeads(await givenStore())
    expect(await heads.read()).toEqual(new Map())
    await heads.write('worker-1', at(5))
    await heads.write('worker-2', at(2 ** 40))
    await heads.write('worker-1', at(7))
    await heads.write('worker-1', at(6))
    await Promise.all([9, 12, 10, 11].map((seq) => heads.write('console', at(seq))))
    expect(await heads.read()).toEqual(
      new Map([
        ['console', at(12)],
        ['worker-1', at(7)],
        ['worker-2', at(2 ** 40)],
      ]),
    )
  })

  test('serves a trail: what was sealed is missed when it is gone', async () => {
    const bench = givenBench()
    const heads = createAuditHeads(await givenStore())
    const trail = await bench.open({ heads })
    await trail.append(eventOf())
    await trail.close()
    bench.rewrite('worker-1.000001.jsonl', () => [])
    await (await bench.open({ heads })).close()
    expect(JSON.parse(String(bench.lines('worker-1.000001.jsonl')[0]))).toMatchObject({
      seq: 2,
      operation: 'audit.truncated',
    })
  })

  test('that fails lets records go on', async () => {
    const bench = givenBench()
    const store = await openStore({ sqlite: join(givenDirectory(), 'strongroom.db') }, [AuditHeadTable])
    const trail = await bench.open({ heads: createAuditHeads(store) })
    await store.close()
    await trail.append(eventOf())
    await trail.close()
    expect(bench.lines('worker-1.000001.jsonl')).toHaveLength(1)
  })
})
