import { expect, it } from 'vitest'
import { createRecording, type RecordingDependencies } from '../../src/http/pipeline/recording.ts'
import type { RequestContext } from '../../src/http/pipeline/request-context.ts'
import { createUserTurns } from '../../src/user-turns.ts'

/** Changes that end when they are told to, and which of them have begun. */
function given() {
  const queueChange = createUserTurns(8)
  const begun: string[] = []
  const endings = new Map<string, { readonly end: () => void; readonly fail: (error: Error) => void }>()
  const change = (name: string, userId: number | undefined) =>
    queueChange(userId, () => {
      begun.push(name)
      return new Promise<void>((end, fail) => endings.set(name, { end, fail }))
    })
  return { begun, endings, change }
}

const turns = () => new Promise((resolve) => setImmediate(resolve))

it('of the changes of one user eight are at the database at once, and those of others wait for none', async () => {
  const { begun, endings, change } = given()
  const changes = Array.from({ length: 20 }, (_, at) => change(`own ${at}`, 1))
  await turns()
  expect(begun).toHaveLength(8)
  const other = change('other', 2)
  const stranger = change('stranger', undefined)
  await turns()
  expect(new Set(begun.slice(8))).toEqual(new Set(['other', 'stranger']))
  endings.get('own 3')?.end()
  await turns()
  expect(begun.slice(10)).toEqual(['own 8'])
  for (let at = 0; at < 20; at++) {
    endings.get(`own ${at}`)?.end()
    await turns()
  }
  await Promise.all(changes)
  endings.get('other')?.end()
  endings.get('stranger')?.end()
  await Promise.all([other, stranger])
  expect(begun).toHaveLength(22)
})

it('a change that fails gives its turn to the next', async () => {
  const { begun, endings, change } = given()
  const changes = Array.from({ length: 9 }, (_, at) => change(`own ${at}`, 1))
  await turns()
  endings.get('own 0')?.fail(new Error('no'))
  await expect(changes[0]).rejects.toThrow('no')
  await turns()
  expect(begun).toContain('own 8')
  for (const { end } of endings.values()) end()
  await Promise.allSettled(changes)
})

it.each([
  ['sqlite', 8],
  ['postgres', 4],
])('every change of a caller has its turn before it comes to the database: %s', async (dialect, most) => {
  let waiting = 0
  const transaction = () => new Promise<never>(() => (waiting += 1))
  const dependencies = { store: { dialect, transaction } } as unknown as RecordingDependencies
  const recording = createRecording(dependencies)
  const commitFor = (userId: number | undefined) =>
    recording.commitOf({ ...(userId !== undefined && { caller: { userId } }) } as unknown as RequestContext)
  for (let at = 0; at < 20; at++) void commitFor(1)(() => Promise.resolve())
  await turns()
  expect(waiting).toBe(most)
  void commitFor(2)(() => Promise.resolve())
  void commitFor(undefined)(() => Promise.resolve())
  await turns()
  expect(waiting).toBe(most + 2)
})
