import { expect, test } from 'vitest'
import { eventBody, sha256 } from '../../../src/audit/line.ts'
import { sealBody } from '../../../src/audit/seal.ts'
import { keyId, statementText } from '../../../src/hsm/audit-end.ts'
import { createChainWriter } from '../../support/chain-writer.ts'
import { eventOf } from '../../support/event-kit.ts'
import { appendAll, givenBench, manyEvents, type Bench } from '../../support/trail-kit.ts'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const file = 'worker-1.000001.jsonl'
const seals = (bench: Bench) => bench.lines(file).filter((line) => line.includes('"type":"seal"'))

test.each([undefined, ''])('a trail of a release before goes on, and stays sound (after: %j)', async (after) => {
  const bench = givenBench()
  const { add, end, text } = createChainWriter('worker-1')
  for (const event of manyEvents(3)) add('event', eventBody(event))
  const key = keyId(bench.signer.publicKey)
  const statement = { chain: 'worker-1', at: 1, covers: end(), after, heads: {}, key }
  add('seal', sealBody(bench.signer.signText(statementText(statement))))
  writeFileSync(join(bench.directory, file), text())
  expect(await bench.findings()).toEqual([])

  for (let round = 0; round < 2; round += 1) {
    const trail = await bench.open()
    await appendAll(trail, manyEvents(2))
    await trail.close()
  }
  expect(seals(bench).map((line) => line.includes('"seal":{"v":3'))).toEqual([false, true, true])
  expect(await bench.findings('with registry')).toEqual([])
})

test('a seal that a crash kept from the disk is put there by the next run', async () => {
  const bench = givenBench()
  const before = await bench.open()
  await appendAll(before, manyEvents(3))
  await before.close()
  bench.rewrite(file, (lines) => lines.slice(0, -1))
  bench.heads.kept.clear()

  const after = await bench.open()
  await after.append(eventOf())
  await after.close()
  expect(bench.lines(file).map((line) => line.includes('"type":"seal"'))).toEqual([
    false,
    false,
    false,
    false,
    true,
    true,
  ])
  expect(await bench.findings('with registry')).toEqual([])
})

test('a seal that a crash kept from the disk is put there also when the record that it covers is in an earlier file', async () => {
  const bench = givenBench()
  const before = await bench.open({ segmentBytes: 1 })
  await before.append(eventOf())
  const [record] = bench.lines(file)
  const covers = { seq: 1, hash: sha256(Buffer.from(`${record}\n`)) }
  await bench.signer.signAuditEnd({ chain: 'worker-1', covers, heads: {}, previous: undefined })
  await before.append(eventOf())
  bench.signer.broken = new Error('the process is about to be killed')
  await before.close()
  bench.signer.broken = undefined
  expect(bench.files()).toHaveLength(2)

  const after = await bench.open()
  await after.append(eventOf())
  await after.close()
  expect(await bench.findings('with registry')).toEqual([])
})

test('a keeper that knows a later end than file and registry shows that the end was cut off', async () => {
  const bench = givenBench()
  for (let round = 0; round < 2; round += 1) {
    const trail = await bench.open()
    await appendAll(trail, manyEvents(3))
    await trail.close()
  }
  bench.rewrite(file, (lines) => lines.slice(0, 4))
  bench.heads.kept.clear()
  expect(await bench.findings('with registry')).toEqual([])
  await (await bench.open()).close()
  expect(bench.lines(file).join('\n')).toContain('"operation":"audit.truncated"')
  expect((await bench.findings()).map(([, kind]) => kind)).toContain('truncated')
})

test('seals that were left out are missed by the next one, though the chain of hashes is whole', async () => {
  const bench = givenBench()
  for (let round = 0; round < 3; round += 1) {
    const trail = await bench.open()
    await appendAll(trail, manyEvents(2))
    await trail.close()
  }
  const last = await bench.signer.lastAuditEnd('worker-1')
  const { add, end, text } = createChainWriter('worker-1')
  for (const event of manyEvents(20)) add('event', eventBody(event))
  const granted = await bench.signer.signAuditEnd({ chain: 'worker-1', covers: end(), heads: {}, previous: last })
  add('seal', sealBody(granted))
  writeFileSync(join(bench.directory, file), text())
  expect(await bench.findings()).toEqual([['worker-1', 'removed', file, 21]])
})
