import { expect, test } from 'vitest'
import { genesis } from '../../../src/audit/line.ts'
import { digestOf, keyId, parseStatement, statementText, type AuditEnd } from '../../../src/hsm/audit-end.ts'
import { givenSigner } from '../../support/trail-kit.ts'

const point = (seq: number) => ({ seq, hash: genesis(`record-${seq}`).hash })
const end = (seq: number, previous?: AuditEnd['previous'], chain = 'worker-1'): AuditEnd => ({
  chain,
  covers: point(seq),
  heads: {},
  previous,
})
const refused = { code: 'hsm.rejected' }

test('a chain goes on from its last signature, whose digest the next statement names', async () => {
  const signer = givenSigner()
  const first = await signer.signAuditEnd(end(5))
  expect(parseStatement(first.text)).toMatchObject({ covers: point(5), after: '' })
  const second = await signer.signAuditEnd(end(9, first))
  expect(parseStatement(second.text)).toMatchObject({ covers: point(9), after: digestOf(first) })
  expect(await signer.lastAuditEnd('worker-1')).toMatchObject(second)
  expect(await signer.lastAuditEnd('worker-2')).toBeUndefined()
})

test('an end that does not go on from the last one is not signed', async () => {
  const signer = givenSigner()
  const first = await signer.signAuditEnd(end(5))
  const second = await signer.signAuditEnd(end(9, first))
  const foreign = await signer.signAuditEnd(end(5, undefined, 'worker-2'))
  const forged = givenSigner().signText(second.text)
  for (const [what, asked] of [
    ['one before it', end(8, second)],
    ['the same record with another hash', { ...end(9, second), covers: { seq: 9, hash: point(8).hash } }],
    ['from the one before the last', end(10, first)],
    ['from nothing', end(10)],
    ['from another chain', end(10, foreign)],
    ['from a signature of another key', end(10, forged)],
  ] as const)
    await expect(signer.signAuditEnd(asked), what).rejects.toMatchObject(refused)
  await signer.signAuditEnd(end(10, second))
})

test('the same end again gets the same signature, whatever is said to be before it', async () => {
  const signer = givenSigner()
  const first = await signer.signAuditEnd(end(5))
  expect(await signer.signAuditEnd(end(5))).toMatchObject(first)
  expect(await signer.signAuditEnd({ ...end(5, first), heads: { console: point(3) } })).toMatchObject(first)
})

test('a chain of a release before goes on from its seal, once, and only where the audit key made that', async () => {
  const signer = givenSigner()
  const old = { chain: 'worker-1', at: 1, covers: point(5), heads: {}, key: keyId(signer.publicKey) }
  const seal = signer.signText(statementText(old))
  const later = signer.signText(statementText({ ...old, covers: point(7) }))
  await expect(signer.signAuditEnd(end(9, givenSigner().signText(seal.text)))).rejects.toMatchObject(refused)
  await expect(signer.signAuditEnd(end(9, seal, 'worker-2'))).rejects.toMatchObject(refused)
  await expect(signer.signAuditEnd(end(5, seal))).rejects.toMatchObject(refused)
  const adopted = await signer.signAuditEnd(end(9, seal))
  expect(parseStatement(adopted.text)).toMatchObject({ after: digestOf(seal) })
  await expect(signer.signAuditEnd(end(10, later))).rejects.toMatchObject(refused)
})

test('a long chain goes on after a start without a clock, and by no number that none follows', async () => {
  const clock = { now: Date.parse('2026-10-01') }
  const signer = givenSigner(() => clock.now)
  const first = await signer.signAuditEnd(end(50_000_000))
  clock.now = 60_000
  const second = await signer.signAuditEnd(end(50_000_100, first))
  await expect(signer.signAuditEnd(end(2 ** 52, second))).rejects.toMatchObject(refused)
})
