import { expect, it } from 'vitest'
import { createBatchCall } from '../../../src/hsm/client/batch-calls.ts'
import type { KeyReference } from '../../../src/hsm/hsm.ts'
import { mostInFrame, outcomeFields } from '../../../src/hsm/protocol/batch-frame.ts'

const nothing = Buffer.alloc(0)
const reference = (): KeyReference => {
  const sealed = { record: nothing, seal: nothing }
  return { key: sealed, vaultKey: sealed, grant: sealed }
}

/** A host that answers each item with its last field; and how many keys each frame named. */
function given() {
  const frames: number[] = []
  const call = createBatchCall((_operation, fields) => {
    const keys = Number(Buffer.from(fields[0] ?? nothing).toString())
    frames.push(keys)
    const texts = fields.map((field) => Buffer.from(field)).filter((field) => field.toString().startsWith('item '))
    return Promise.resolve(outcomeFields(texts.map((result) => ({ result }))).map((field) => Buffer.from(field)))
  })
  return { frames, call }
}

const item = (text: string, ...references: KeyReference[]) => ({ references, fields: [Buffer.from(`item ${text}`)] })

it('a batch of many keys goes in frames of some keys, and its outcomes come in its order', async () => {
  const { frames, call } = given()
  const references = Array.from({ length: 150 }, reference)
  const items = Array.from({ length: 300 }, (_, at) => item(String(at), references[at % 150] ?? reference()))
  const outcomes = await call('decryptMany', items)
  expect(outcomes.map((outcome) => ('result' in outcome ? outcome.result.toString() : ''))).toEqual(
    items.map((_, at) => `item ${at}`),
  )
  expect(frames).toHaveLength(5)
  for (const keys of frames) expect(keys).toBeLessThanOrEqual(mostInFrame.keys)
})

it('a batch of few keys goes in frames of some items, one of a hundred in one, and one of none in none', async () => {
  const { frames, call } = given()
  const key = reference()
  const items = Array.from({ length: 1_000 }, (_, at) => item(String(at), key))
  const outcomes = await call('encryptMany', items)
  expect(outcomes.map((outcome) => ('result' in outcome ? outcome.result.toString() : ''))).toEqual(
    items.map((_, at) => `item ${at}`),
  )
  expect(frames).toHaveLength(Math.ceil(1_000 / mostInFrame.items))
  expect(await call('encryptMany', items.slice(0, 100))).toHaveLength(100)
  expect(frames).toHaveLength(1 + Math.ceil(1_000 / mostInFrame.items))
  expect(await call('encryptMany', [])).toEqual([])
  expect(frames).toHaveLength(1 + Math.ceil(1_000 / mostInFrame.items))
})

it('both keys of a rewrapped item count', async () => {
  const { frames, call } = given()
  const to = reference()
  const items = Array.from({ length: 130 }, (_, at) => item(String(at), reference(), to))
  expect(await call('rewrapMany', items)).toHaveLength(130)
  expect(frames).toEqual([64, 64, 5])
})
