import { expect, it } from 'vitest'
import { madeOnce } from '../../../src/http/routes/made-once.ts'

it('is made once for all who ask while it is made, and after', async () => {
  let times = 0
  const made = madeOnce(() => Promise.resolve((times += 1)))
  expect(await Promise.all([made(), made(), made()])).toEqual([1, 1, 1])
  expect(await made()).toBe(1)
})

it('is tried again after a failure', async () => {
  let times = 0
  const made = madeOnce(async () => {
    times += 1
    if (times === 1) throw new Error('not now')
    return times
  })
  await expect(made()).rejects.toThrow('not now')
  expect(await made()).toBe(2)
})
