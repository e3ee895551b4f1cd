import { expect, test, vi } from 'vitest'
import { genesis } from '../../../src/audit/line.ts'
import { sealBody, sealIn } from '../../../src/audit/seal.ts'
import { mostHeads } from '../../../src/hsm/audit-end.ts'
import { eventOf } from '../../support/event-kit.ts'
import { givenBench } from '../../support/trail-kit.ts'

test('where there are more chains than a line can name, seals name all of them in turns, and the loss of each is found', async () => {
  const bench = givenBench()
  const chains = Array.from({ length: 2_100 }, (_, number) => `worker-${`${number + 2}`.padStart(25, '0')}`)
  for (const chain of chains) {
    const covers = { seq: 100_000_000_000_000, hash: genesis(chain).hash }
    const seal = await bench.signer.signAuditEnd({ chain, covers, heads: {}, previous: undefined })
    await bench.heads.write(chain, { ...covers, line: sealBody(seal) })
  }
  const trail = await bench.open({ sealRecords: 1, segmentBytes: 10_000_000 })
  const seals = () => bench.lines('worker-1.000001.jsonl').flatMap((line) => sealIn(line) ?? [])
  for (let count = 1; count <= Math.ceil(chains.length / mostHeads); count++) {
    await trail.append(eventOf())
    await vi.waitFor(() => expect(seals()).toHaveLength(count), 20_000)
  }
  await trail.close()
  const findings = await bench.findings()
  expect(findings.map(([chain, kind]) => `${chain} ${kind}`).toSorted()).toEqual(
    chains.map((chain) => `${chain} missing chain`).toSorted(),
  )
  const named = seals().map(({ statement }) => Object.keys(statement.heads))
  expect(Math.max(...named.map((names) => names.length))).toBe(mostHeads)
  expect(new Set(named.flat())).toEqual(new Set(chains))
})
