import Database from 'better-sqlite3'
import { createPublicKey, verify } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { parseLine } from '../../src/audit/line.ts'
import { parseSeal, sealBody } from '../../src/audit/seal.ts'
import { createHsmClient } from '../../src/hsm/client/hsm-client.ts'
import type { SignedEnd } from '../../src/hsm/audit-end.ts'
import type { Hsm } from '../../src/hsm/hsm.ts'
import { keeperOperations, operations } from '../../src/hsm/protocol/frame.ts'
import { createChainWriter } from '../support/chain-writer.ts'
import { addUser, givenInitialised, type Premises } from '../support/console-kit.ts'
import { outcomeOf } from '../support/step-outcome.ts'

// The attacker runs code in a worker. He reaches the sockets of token host and keeper, writes to the folder of the
// trail and to the database, and has no PIN.

interface Worker {
  readonly premises: Premises
  readonly hsm: Hsm
  readonly lines: readonly string[]
}

async function givenWorker(): Promise<Worker> {
  const premises = await givenInitialised()
  await addUser(premises, 'mallory')
  await premises.ask(['apikey', 'create', 'payroll'])
  const run = (socket: string) => join(premises.directory, 'run', socket)
  const hsm = createHsmClient({ sockets: [run('1.sock')], keeper: run('keeper.sock'), deadlineMs: 60_000, queue: 16 })
  onTestFinished(() => hsm.close())
  return { premises, hsm, lines: readFileSync(chainOf(premises), 'latin1').split('\n').slice(0, -1) }
}

const chainOf = ({ auditDirectory }: Premises): string => join(auditDirectory, 'console.000001.jsonl')

type Sign = (covers: { seq: number; hash: string }, last: SignedEnd | undefined) => Promise<SignedEnd | undefined>

/**
 * Rewrites the chain with another name in its records and new hashes. Each seal is the result of `sign`, and is omitted
 * where that is undefined. The registry gets the last one.
 */
async function rewrite({ premises, lines }: Worker, sign: Sign): Promise<void> {
  const { add, end, text } = createChainWriter('console')
  let last: SignedEnd | undefined
  for (const line of lines) {
    const { type, body } = parseLine(line) ?? { type: 'event' as const, body: '' }
    const signed: SignedEnd | undefined = type === 'seal' ? await sign(end(), last) : undefined
    if (type === 'seal' && signed === undefined) continue
    last = signed ?? last
    const fresh = signed === undefined ? body.replace('user mallory', 'user nobody') : sealBody(signed)
    add(type, fresh)
  }
  expect(text()).not.toContain('user mallory')
  writeFileSync(chainOf(premises), text())
  const database = new Database(premises.database)
  const seal = last && parseSeal(sealBody(last))
  if (seal === undefined) database.prepare('DELETE FROM audit_heads').run()
  else {
    const { seq, hash } = seal.statement.covers
    database.prepare('UPDATE audit_heads SET seq = ?, hash = ?, line = ?').run(seq, hash, sealBody(seal))
  }
  database.close()
}

async function isSound({ premises }: Worker): Promise<boolean> {
  const { status, stdout } = await premises.run(['--json', 'audit', 'verify'])
  const { sound } = JSON.parse(stdout) as { sound: boolean }
  expect(status).toBe(sound ? 0 : 1)
  return sound
}

it('has no operation that signs what it composed', () => {
  expect(operations.filter((name) => /sign|seal/i.test(name) && /audit/i.test(name))).toEqual([])
  // The result of the third is public, and the last one is for the operator (`worker-keeper`).
  const known = ['lastAuditEnd', 'signAuditEnd', 'auditKeys', 'succeedAuditKey']
  expect(keeperOperations.filter((name) => /audit/i.test(name))).toEqual(known)
})

it('gets ends signed that go on, by the audit key', async () => {
  const { hsm } = await givenWorker()
  const { text, signature } = (await hsm.lastAuditEnd('console')) as SignedEnd
  const key = createPublicKey({ key: await hsm.auditPublicKey(), format: 'der', type: 'spki' })
  expect(verify('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, signature)).toBe(true)
})

it('does not have the seals of a rewritten chain made anew, one after another', async () => {
  const worker = await givenWorker()
  const refusals: unknown[] = []
  await rewrite(worker, (covers, previous) =>
    worker.hsm.signAuditEnd({ chain: 'console', covers, heads: {}, previous }).catch((error: unknown) => {
      refusals.push(error)
      return undefined
    }),
  )
  expect(refusals).not.toHaveLength(0)
  for (const refusal of refusals) expect(refusal).toMatchObject({ code: 'hsm.rejected' })
  // The keeper knows a later end as soon as the chain is opened again.
  await worker.premises.ask(['apikey', 'create', 'another'])
  expect(await isSound(worker)).toBe(false)
})

it('does not get a rewritten chain sound by one seal at its end that goes on from the last genuine one', async () => {
  const worker = await givenWorker()
  const sealed = worker.lines.filter((line) => line.includes('"type":"seal"')).length
  expect(sealed).toBeGreaterThan(1)
  let at = 0
  await rewrite(worker, async (covers) => {
    at += 1
    if (at < sealed) return undefined
    const previous = await worker.hsm.lastAuditEnd('console')
    // Later than the last signed one, as the keeper requires.
    const ahead = { seq: worker.lines.length + 1, hash: covers.hash }
    return worker.hsm.signAuditEnd({ chain: 'console', covers: ahead, heads: {}, previous })
  })
  expect(await isSound(worker)).toBe(false)
})

it('does not get a chain sound that was rewritten and lengthened until the keeper signs its end', async () => {
  const worker = await givenWorker()
  const { premises, hsm, lines } = worker
  const { add, end, text } = createChainWriter('console')
  const events = lines.flatMap((line) => {
    const { type, body = '' } = parseLine(line) ?? {}
    return type === 'event' ? [body.replace('user mallory', 'user nobody')] : []
  })
  for (const body of events) add('event', body)
  while (end().seq <= lines.length) add('event', events.at(-1) ?? '')
  const previous = await hsm.lastAuditEnd('console')
  const granted = await hsm.signAuditEnd({ chain: 'console', covers: end(), heads: {}, previous })
  const { seq, hash } = end()
  add('seal', sealBody(granted))
  writeFileSync(chainOf(premises), text())
  const database = new Database(premises.database)
  database.prepare('UPDATE audit_heads SET seq = ?, hash = ?, line = ?').run(seq, hash, sealBody(granted))
  database.close()
  expect(await isSound(worker)).toBe(false)
})

it('does not end the sealing of a chain, by an end that names more chains than a line of the trail can', async () => {
  const { hsm } = await givenWorker()
  const previous = await hsm.lastAuditEnd('console')
  const point = { seq: 1_000_000, hash: 'ab'.repeat(32) }
  const heads = Object.fromEntries(Array.from({ length: 4_000 }, (_, at) => [`machine-${at}`, point]))
  const end = { chain: 'console', covers: point, heads, previous }
  await expect(hsm.signAuditEnd(end)).rejects.toMatchObject({ code: 'hsm.rejected' })
})

it('does not keep a chain from going on, by an end with a number that no other follows', async () => {
  const { premises, hsm } = await givenWorker()
  const numbers = Array.from({ length: 54 }, (_, power) => 2 ** (53 - power) - 1)
  const signed = []
  for (const seq of numbers) {
    const previous = await hsm.lastAuditEnd('console')
    const end = { chain: 'console', covers: { seq, hash: 'ab'.repeat(32) }, heads: {}, previous }
    if ((await outcomeOf(hsm.signAuditEnd(end))) === 'done') signed.push(seq)
  }
  expect(signed).toHaveLength(1)
  const left = await hsm.lastAuditEnd('console')
  await premises.ask(['apikey', 'create', 'second'])
  await premises.ask(['apikey', 'create', 'third'])
  const chain = readFileSync(chainOf(premises), 'latin1').split('\n').slice(0, -1)
  expect(chain.filter((line) => parseLine(line) === undefined)).toEqual([])
  expect(chain.filter((line) => line.includes('apikey.create'))).toHaveLength(3)
  expect((await hsm.lastAuditEnd('console'))?.text).not.toBe(left?.text)
})
