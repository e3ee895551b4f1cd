import { expect, it } from 'vitest'
import { Refusal } from '../../../src/web/interface/refusal.ts'
import { en } from '../../../src/web/words/en.ts'
import { sentenceOf } from '../../../src/web/words/error-sentence.ts'

it.each([
  [413, en.tooLargeForProxy],
  [502, en.notOurs],
])('says of a %i of another server what helps', (status, text) => {
  expect(sentenceOf(new Refusal({ status }), en)).toMatchObject({ text, number: status })
})
