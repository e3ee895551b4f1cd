import { expect, it } from 'vitest'
import { createProgress } from '../../../src/console/output/progress.ts'

it('a pass says how far it is and, by its pace, how long it takes', () => {
  const shown: string[] = []
  let now = 1_000
  const progress = createProgress({ overwrite: (text) => void shown.push(text) }, 'Moving the keys', () => now)
  now += 500
  progress(10, 1_000)
  now += 500
  progress(500, 1_000)
  progress(1_000, 1_000)
  now += 600_000
  progress(500, 1_000)
  expect(shown).toEqual([
    'Moving the keys: 10 of 1000, some 50 s left',
    'Moving the keys: 500 of 1000, some 1 s left',
    '',
    'Moving the keys: 500 of 1000, some 10 min left',
  ])
})
