import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findChainEnd } from '../../../src/audit/chain-end.ts'
import { eventBody } from '../../../src/audit/line.ts'
import { sealBody } from '../../../src/audit/seal.ts'
import { keyId, statementText } from '../../../src/hsm/audit-end.ts'
import { createChainWriter } from '../../support/chain-writer.ts'
import { givenBench, manyEvents } from '../../support/trail-kit.ts'

const file = 'worker-1.000001.jsonl'

/** A chain of one file with these numbers of events, and a seal after each but the last. */
function givenChain(...runs: readonly number[]) {
  const { directory, signer } = givenBench()
  const { add, end, text } = createChainWriter('worker-1')
  const sealed = runs.map((events, at) => {
    for (const event of manyEvents(events)) add('event', eventBody(event))
    const point = end()
    if (at === runs.length - 1) return { point, seal: undefined }
    const statement = { chain: 'worker-1', at: 1, covers: point, heads: {}, key: keyId(signer.publicKey) }
    const seal = signer.signText(statementText(statement))
    add('seal', sealBody(seal))
    return { point, seal }
  })
  const path = join(directory, file)
  writeFileSync(path, text())
  return { directory, path, end: end(), sealed, bytes: statSync(path).size }
}

/** More than is read of an end at first. */
const many = 6_000

test('of a long file, its end tells how the chain goes on', async () => {
  const { directory, end, sealed, bytes } = givenChain(many, 3, 2)
  const found = await findChainEnd(directory, 'worker-1', sealed[1]?.point.seq ?? 0)
  expect(bytes).toBeGreaterThan(2 ** 21)
  expect(found).toMatchObject({ end: { ...end, segment: 1, bytes }, unsealed: 2, tornBytes: 0 })
  expect(found.lastSeal).toMatchObject(sealed[1]?.seal ?? {})
  expect(found.asked).toEqual(sealed[1]?.point)
})

test('a seal and a record that lie far before the end are found', async () => {
  const { directory, end, sealed, bytes } = givenChain(2, 3, many)
  const found = await findChainEnd(directory, 'worker-1', 1)
  expect(found).toMatchObject({ end: { ...end, segment: 1, bytes }, unsealed: many })
  expect(found.lastSeal).toMatchObject(sealed[1]?.seal ?? {})
  expect(found.asked?.seq).toBe(1)
})

test('what a crash left behind a long file is cut off', async () => {
  const { directory, path, end, bytes } = givenChain(many, 2)
  writeFileSync(path, '{"v":1,"chain":"worker-1","seq":', { flag: 'a' })
  const found = await findChainEnd(directory, 'worker-1', many)
  expect(found).toMatchObject({ end: { ...end, segment: 1, bytes }, unsealed: 2, tornBytes: 32 })
  expect(statSync(path).size).toBe(bytes)
})

test('a file that ends with more rubbish than is read of an end at first is read to where its lines end', async () => {
  const { directory, path, end, bytes } = givenChain(20, 2)
  writeFileSync(path, 'rubbish\n'.repeat(2 ** 18), { flag: 'a' })
  const found = await findChainEnd(directory, 'worker-1', 0)
  expect(found).toMatchObject({ end: { ...end, segment: 1, bytes }, unsealed: 2, tornBytes: 2 ** 21 })
})
