import { afterAll, expect, it } from 'vitest'
import { TestAppliance, twoWorkers } from '../../support/appliance.ts'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { expectUnharmed } from '../../support/health.ts'

const appliance = applianceForTests(() => TestAppliance.own(twoWorkers))
const vault = vaultForTests(appliance)

afterAll(() => expectUnharmed(appliance))

/** How many calls had each outcome, of 12 that are made at once. */
async function outcomesOf(calls: readonly (readonly [string, string, object?])[]): Promise<string[]> {
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, at) => {
      const [method, path, body] = calls[at % calls.length] ?? ['', '']
      return vault.admin.call(method, path, body && { body })
    }),
  )
  return answers.map(({ status, json }) => [status, Object.keys(json.ERRORCODES ?? {})[0]].join(' ').trim())
}

const oneOf = (outcomes: readonly string[]) => outcomes.filter((outcome) => outcome === '200').length
const refusals = (outcomes: readonly string[]) => [...new Set(outcomes)].filter((outcome) => !/^20[01]$/.test(outcome))

it('of deletions of a key at once one succeeds, and for the others there is no such key any more', async () => {
  for (let round = 0; round < 4; round++) {
    await vault.admin.must('POST', vault.keyPath(`gone-${round}`))
    const outcomes = await outcomesOf([['DELETE', vault.keyPath(`gone-${round}`)]])
    expect([oneOf(outcomes), refusals(outcomes)]).toEqual([1, ['404 1500']])
  }
})

it('of those who take it back at once one does', async () => {
  for (let round = 0; round < 4; round++) {
    await vault.admin.must('POST', vault.keyPath(`back-${round}`))
    await vault.admin.must('DELETE', vault.keyPath(`back-${round}`))
    const outcomes = await outcomesOf([['POST', `${vault.keyPath(`back-${round}`)}/undelete`]])
    expect([oneOf(outcomes), refusals(outcomes)]).toEqual([1, ['404 1500']])
  }
})

it.each([
  ['changed', 'PUT', '', { info: 'new' }],
  ['rotated', 'POST', '/rotate', {}],
  ['trimmed', 'POST', '/trim', { min_available_version: 1 }],
  ['without a version', 'PUT', '/versions/1', { enabled: true }],
] as const)('a key that is %s while it is deleted: the one or the other', async (_what, method, more, body) => {
  for (let round = 0; round < 4; round++) {
    const path = vault.keyPath(`${method}-${more.replaceAll('/', '')}-${round}`)
    await vault.admin.must('POST', path)
    const outcomes = await outcomesOf([
      [method, `${path}${more}`, body],
      ['DELETE', path],
    ])
    expect(refusals(outcomes).filter((outcome) => !['404 1500', '409 1906'].includes(outcome))).toEqual([])
    expect((await vault.admin.get(path)).status).toBe(404)
  }
})
