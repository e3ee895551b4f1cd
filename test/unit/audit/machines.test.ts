import { generateKeyPairSync } from 'node:crypto'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { machineOf, type OwnMachine } from '../../../src/audit/chain-machine.ts'
import { createAuditTrail } from '../../../src/audit/trail-writer.ts'
import { verifyTrail } from '../../../src/audit/trail-verification.ts'
import { keyId, statementText } from '../../../src/hsm/audit-end.ts'
import { sealBody } from '../../../src/audit/seal.ts'
import { createKeySigner, type KeySigner } from '../../support/key-signer.ts'
import { appendAll, givenDirectory, givenHeads, manyEvents } from '../../support/trail-kit.ts'

interface Machine {
  readonly name: string
  readonly id: string
  readonly directory: string
  readonly signer: KeySigner
}

/** Machines with one audit key and one registry, each with a keeper's memory of its own. */
function givenSite() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const heads = givenHeads()
  const machine = (name: string, id: string): Machine => ({
    name,
    id: id.repeat(16),
    directory: givenDirectory(),
    signer: createKeySigner(privateKey, ':memory:', id.repeat(16)),
  })
  const one = machine('', 'a1')
  async function write({ name, directory, signer }: Machine, process: string, records = 3): Promise<void> {
    const trail = await createAuditTrail({
      directory,
      chain: name === '' ? process : `${name}-${process}`,
      hsm: signer,
      heads,
      clock: { now: () => 1_700_000_000_000 },
      sealIntervalMs: 3_600_000,
      sealRecords: 1_000,
      segmentBytes: 1_000_000,
    })
    await appendAll(trail, manyEvents(records))
    await trail.close()
  }
  const publicKey = one.signer.publicKey
  async function verify(
    directories: readonly string[],
    own?: OwnMachine,
    more: { isAll?: boolean; without?: 'registry' } = {},
  ) {
    const registry = more.without === undefined ? { heads: await heads.read() } : {}
    const report = await verifyTrail({
      directory: directories,
      publicKey,
      own,
      ...registry,
      isAll: more.isAll === true,
    })
    const findings = report.chains.flatMap(({ chain, findings }) => findings.map(({ kind }) => `${chain} ${kind}`))
    return { sound: report.sound, findings, absent: report.absent }
  }
  return { heads, machine, one, two: machine('second', 'b2'), write, verify }
}

/** What a keeper tells of its machine. */
async function ownOf({ name, id, signer }: Machine, chains: readonly string[]): Promise<OwnMachine> {
  const signed = new Map<string, number>()
  for (const chain of chains) {
    const last = await signer.lastAuditEnd(chain)
    if (last) signed.set(chain, JSON.parse(last.text).covers.seq)
  }
  return { name, id, signed }
}

test('a chain is of the machine before the process in its name', () => {
  expect(['worker-1', 'console', 'second-worker-12', 'b2-console', 'worker-worker-1'].map(machineOf)).toEqual([
    '',
    '',
    'second',
    'b2',
    'worker',
  ])
})

describe('of two machines on one database', () => {
  async function givenBoth() {
    const site = givenSite()
    await site.write(site.one, 'worker-1')
    await site.write(site.two, 'worker-1')
    await site.write(site.one, 'worker-1')
    return site
  }

  test('each verifies its own trail, and names the other', async () => {
    const { one, two, verify } = await givenBoth()
    expect(await verify([one.directory], await ownOf(one, ['worker-1', 'second-worker-1']))).toEqual({
      sound: true,
      findings: [],
      absent: [{ machine: 'second', chains: ['second-worker-1'] }],
    })
    expect(await verify([two.directory], await ownOf(two, ['worker-1', 'second-worker-1']))).toEqual({
      sound: true,
      findings: [],
      absent: [{ machine: '', chains: ['worker-1'] }],
    })
  })

  test('both are verified together, and one that is not given is missed where all are wanted', async () => {
    const { one, two, verify } = await givenBoth()
    expect(await verify([one.directory, two.directory], undefined, { isAll: true })).toEqual({
      sound: true,
      findings: [],
      absent: [],
    })
    expect(await verify([one.directory], undefined, { isAll: true })).toEqual({
      sound: false,
      findings: ['second-worker-1 missing chain'],
      absent: [],
    })
  })

  test('seals name the machine that signed them', async () => {
    const { heads } = await givenBoth()
    expect(heads.kept.get('worker-1')?.line).toContain('"v":3,"chain":"worker-1","machine":"a1a1')
    expect(heads.kept.get('second-worker-1')?.line).toContain('"machine":"b2b2')
  })
})

describe('a removed chain does not pass for one of another machine', () => {
  test('by its name', async () => {
    const { one, two, write, verify } = givenSite()
    await write(two, 'worker-1')
    await write(one, 'worker-1')
    await write(one, 'worker-2')
    rmSync(join(one.directory, 'worker-2.000001.jsonl'))
    expect(await verify([one.directory])).toMatchObject({ findings: ['worker-2 missing chain'] })
    rmSync(join(one.directory, 'worker-1.000001.jsonl'))
    const own = { name: '', id: undefined, signed: new Map<string, number>() }
    expect(await verify([one.directory], own)).toMatchObject({
      findings: ['worker-1 missing chain', 'worker-2 missing chain'],
      absent: [{ machine: 'second' }],
    })
  })

  test('by the machine in its last seal, once this one has another name', async () => {
    const { one, write, verify } = givenSite()
    await write(one, 'worker-2')
    const renamed = { ...one, name: 'first' }
    await write(renamed, 'worker-1')
    rmSync(join(one.directory, 'worker-2.000001.jsonl'))
    const own = { name: 'first', id: undefined, signed: new Map<string, number>() }
    // Other seals of the folder tell which machine it is.
    expect(await verify([one.directory], own)).toMatchObject({ findings: ['worker-2 missing chain'] })
  })

  test('by the keeper that signed it, where its seals are of an earlier release', async () => {
    const { one, heads, write, verify } = givenSite()
    const covers = { seq: 3, hash: 'c'.repeat(64) }
    const key = keyId(one.signer.publicKey)
    const seal = one.signer.signText(statementText({ chain: 'worker-2', at: 1, covers, after: '', heads: {}, key }))
    await heads.write('worker-2', { ...covers, line: sealBody(seal) })
    const renamed = { ...one, name: 'first' }
    await write(renamed, 'worker-1')
    const own = { name: 'first', id: one.id, signed: new Map([['worker-2', 3]]) }
    expect(await verify([one.directory], own)).toMatchObject({ findings: ['worker-2 missing chain'] })
    const stranger = { ...own, signed: new Map<string, number>() }
    expect(await verify([one.directory], stranger)).toMatchObject({ sound: true, absent: [{ machine: '' }] })
  })

  test('by the keeper that signed it, where its row of the registry was removed as well', async () => {
    const { one, heads, write, verify } = givenSite()
    await write(one, 'worker-2')
    const renamed = { ...one, name: 'first' }
    await write(renamed, 'worker-1')
    rmSync(join(one.directory, 'worker-2.000001.jsonl'))
    heads.kept.delete('worker-2')
    const hasSigned = async (chain: string) => (await one.signer.lastAuditEnd(chain)) !== undefined
    const own = { ...(await ownOf(renamed, ['first-worker-1'])), hasSigned }
    expect(await verify([one.directory], own)).toMatchObject({ findings: ['worker-2 missing chain'], absent: [] })
  })

  test('by a registry that was edited to name another machine', async () => {
    const { one, two, heads, write, verify } = givenSite()
    await write(one, 'worker-2')
    await write(two, 'worker-1')
    await write(one, 'worker-1')
    rmSync(join(one.directory, 'worker-2.000001.jsonl'))
    const forged = heads.kept.get('worker-2')
    if (forged) heads.kept.set('worker-2', { ...forged, line: forged.line.replace('a1a1', 'b2b2') })
    const { findings } = await verify([one.directory], await ownOf(one, []))
    expect(findings).toContain('worker-2 bad signature')
    heads.kept.delete('worker-2')
    // The seals of the others name it.
    expect(await verify([one.directory], await ownOf(one, []))).toMatchObject({ findings: ['worker-2 missing chain'] })
  })
})

test('of two machines that wrote under one name, each is held to what its own keeper signed', async () => {
  const { one, machine, write, verify } = givenSite()
  const twin = machine('', 'd4')
  await write(one, 'worker-1')
  // The registry keeps the furthest of both.
  await write({ ...twin }, 'worker-1', 9)
  const renamed = { ...one, name: 'first' }
  const own = await ownOf(renamed, ['worker-1'])
  expect(await verify([one.directory], own)).toEqual({
    sound: true,
    findings: [],
    absent: [{ machine: '', chains: ['worker-1'] }],
  })
  const copy = givenDirectory()
  cpSync(one.directory, copy, { recursive: true })
  expect(await verify([copy], { ...own, signed: new Map() })).toMatchObject({ sound: false })
})
