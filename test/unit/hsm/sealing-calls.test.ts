import { expect, it } from 'vitest'
import { sealingCalls } from '../../../src/hsm/client/sealing-calls.ts'
import { createRequestFields } from '../../../src/hsm/server/request-fields.ts'

it('the records of a key with 10,000 versions are shown in lists that the keeper reads', async () => {
  const shown: string[] = []
  const calls = sealingCalls({
    call(_operation, fields) {
      const request = createRequestFields(fields.map((field) => Buffer.from(field)))
      shown.push(...request.list(() => String(request.sealed().record)))
      return Promise.resolve([])
    },
  })
  const records = Array.from({ length: 1 + 2 * 10_000 }, (_, at) => `record ${at}`)
  await calls.raise(records.map((record) => ({ record: Buffer.from(record), seal: Buffer.alloc(32) })))
  expect(shown).toEqual(records)
})
