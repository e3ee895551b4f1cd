import { appendFileSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { genesis, lineAfter, parseLine, sha256 } from '../../../src/audit/line.ts'
import { sealBody } from '../../../src/audit/seal.ts'
import { keyId, statementText } from '../../../src/hsm/audit-end.ts'
import { verifyTrail } from '../../../src/audit/trail-verification.ts'
import { appendAll, givenBench, givenSigner, manyEvents, type Bench } from '../../support/trail-kit.ts'

const one = 'worker-1.000001.jsonl'
const two = 'worker-2.000001.jsonl'

async function run(bench: Bench, chain: string, records: number, segmentBytes = 1_000_000): Promise<void> {
  const trail = await bench.open({ chain, segmentBytes })
  for (const event of manyEvents(records)) await trail.append(event)
  await trail.close()
}

/** worker-1: 5 records, seal, 5 records, seal (lines 1 to 12). worker-2: 5 records, then a seal that names record 5 of worker-1. */
async function givenTrail(): Promise<Bench> {
  const bench = givenBench()
  await run(bench, 'worker-1', 5)
  await run(bench, 'worker-2', 5)
  await run(bench, 'worker-1', 5)
  return bench
}

function edited(line: string | undefined): string {
  return String(line).replace('"alice"', '"mallory"')
}

/** What somebody can do who holds the files, knows the format, and has no signing key. */
function rewriteFrom(bench: Bench, from: number, to: (lines: string[]) => string[]): void {
  bench.rewrite(one, (lines) => {
    let end = genesis('worker-1')
    return to(lines).map((line, index) => {
      const parsed = parseLine(line)
      const fresh =
        index < from ? line : lineAfter(end, 'worker-1', parsed?.type ?? 'event', parsed?.body ?? '').trimEnd()
      end = { seq: end.seq + 1, hash: sha256(`${fresh}\n`) }
      return fresh
    })
  })
}

async function givenSegments(): Promise<Bench> {
  const bench = givenBench()
  await run(bench, 'worker-1', 20, 2_000)
  await run(bench, 'worker-2', 3)
  expect(bench.files().length).toBeGreaterThan(4)
  return bench
}

describe('a trail that nobody touched', () => {
  test('is sound, and the report counts it', async () => {
    const bench = await givenTrail()
    const read: number[] = []
    const { directory, signer, heads } = bench
    const options = { directory, publicKey: signer.publicKey, heads: heads.kept }
    const report = await verifyTrail({ ...options, progress: (bytes) => read.push(bytes) })
    const nothing = { findings: [], moreFindings: 0, unsealed: 0 }
    expect(report).toEqual({
      sound: true,
      absent: [],
      archived: [],
      chains: [
        { chain: 'worker-1', records: 10, seals: 2, sealedSeq: 11, ...nothing },
        { chain: 'worker-2', records: 5, seals: 1, sealedSeq: 5, ...nothing },
      ],
    })
    const bytes = [one, two].map((file) => readFileSync(join(directory, file)).length)
    expect(read.at(-1)).toBe(bytes.reduce((sum, size) => sum + size, 0))
  })

  test('says how many records no seal covers yet', async () => {
    const bench = givenBench()
    await run(bench, 'worker-1', 4)
    const trail = await bench.open()
    await appendAll(trail, manyEvents(3))
    const report = await verifyTrail({ directory: bench.directory, publicKey: bench.signer.publicKey })
    expect(report).toMatchObject({ sound: true, chains: [{ records: 7, sealedSeq: 4, unsealed: 3 }] })
  })

  test('is sound at every moment while two processes write it', async () => {
    const bench = givenBench()
    const options = { sealRecords: 50, sealIntervalMs: 5, segmentBytes: 20_000 }
    const trails = [
      await bench.open({ ...options, chain: 'worker-1' }),
      await bench.open({ ...options, chain: 'worker-2' }),
    ]
    const writing = trails.map(async (trail) => {
      for (let round = 0; round < 150; round += 1) await appendAll(trail, manyEvents(5))
    })
    for (let rounds = 0; rounds < 25; rounds += 1) {
      const heads = await bench.heads.read()
      const report = await verifyTrail({ directory: bench.directory, publicKey: bench.signer.publicKey, heads })
      expect(report.chains.flatMap(({ findings }) => findings)).toEqual([])
    }
    await Promise.all(writing)
    for (const trail of trails) await trail.close()
    expect(bench.files().length).toBeGreaterThan(4)
    expect(await bench.findings('with registry')).toEqual([])
  })
})

describe('a changed byte', () => {
  test('is found wherever it is, once the chain is sealed', async () => {
    const bench = givenBench()
    await run(bench, 'worker-1', 2)
    const path = join(bench.directory, one)
    const bytes = readFileSync(path)
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 7))
      writeFileSync(path, changed)
      expect((await bench.findings()).length, `byte ${at}`).toBeGreaterThan(0)
    }
    writeFileSync(path, bytes)
    expect(await bench.findings()).toEqual([])
  })

  test.each([1, 3, 5, 7, 10])('in record on line %i is shown with its line', async (line) => {
    const bench = await givenTrail()
    bench.rewrite(one, (lines) => lines.with(line - 1, edited(lines[line - 1])))
    const findings = await bench.findings()
    expect(findings[0]).toEqual(['worker-1', 'changed', one, line])
  })
})

describe('lines', () => {
  test.each<[name: string, file: string, change: (lines: string[]) => string[], kind: string, line: number]>([
    ['the first removed', one, (lines) => lines.slice(1), 'removed', 1],
    ['one in the middle removed', one, (lines) => lines.toSpliced(2, 1), 'removed', 3],
    ['a seal in the middle removed', one, (lines) => lines.toSpliced(5, 1), 'removed', 6],
    ['five removed', one, (lines) => lines.toSpliced(1, 5), 'removed', 2],
    ['one repeated', one, (lines) => lines.toSpliced(3, 0, String(lines[2])), 'added', 4],
    ['one of another chain added', one, (lines) => lines.toSpliced(3, 0, foreign), 'added', 4],
    ['text added', one, (lines) => lines.toSpliced(3, 0, 'nothing happened here'), 'changed', 4],
    ['an empty line added', one, (lines) => lines.toSpliced(3, 0, ''), 'changed', 4],
    ['one replaced by text', one, (lines) => lines.with(3, 'nothing happened here'), 'changed', 4],
    ['two swapped', one, (lines) => lines.with(1, String(lines[2])).with(2, String(lines[1])), 'removed', 2],
    ['one renumbered', one, (lines) => lines.with(2, String(lines[2]).replace('"seq":3', '"seq":9')), 'removed', 3],
  ])('%s', async (_, file, change, kind, line) => {
    const bench = await givenTrail()
    bench.rewrite(file, change)
    const findings = await bench.findings()
    expect(findings[0]).toEqual(['worker-1', kind, file, line])
    expect(findings.length).toBeLessThanOrEqual(5)
  })

  const foreign = lineAfter(genesis('worker-9'), 'worker-9', 'event', '"at":1').trimEnd()

  test('at the end cut off to the seal before are missed by the registry, and by a later witness', async () => {
    const bench = await givenTrail()
    bench.rewrite(one, (lines) => lines.slice(0, 6))
    expect(await bench.findings()).toEqual([])
    expect(await bench.findings('with registry')).toEqual([['worker-1', 'truncated', one, 6]])
    await run(bench, 'worker-2', 1)
    expect(await bench.findings()).toEqual([['worker-1', 'truncated', one, 6]])
  })

  test('the last seal alone removed is missed by the registry', async () => {
    const bench = await givenTrail()
    bench.rewrite(one, (lines) => lines.slice(0, -1))
    expect(await bench.findings('with registry')).toEqual([['worker-1', 'truncated', one, 11]])
  })

  test('all after what another chain names cut off are found without the registry', async () => {
    const bench = await givenTrail()
    bench.rewrite(one, (lines) => lines.slice(0, 3))
    expect(await bench.findings()).toEqual([['worker-1', 'truncated', one, 3]])
  })

  test('cut within is found', async () => {
    const bench = await givenTrail()
    truncateSync(join(bench.directory, one), readFileSync(join(bench.directory, one)).length - 10)
    expect(await bench.findings()).toEqual([['worker-1', 'torn', one, 11]])
  })

  test('a line longer than any record does not fill the memory', async () => {
    const bench = await givenTrail()
    appendFileSync(join(bench.directory, one), 'x'.repeat(1_000_000))
    expect((await bench.findings()).map(([, kind]) => kind)).toEqual(['changed', 'changed', 'changed', 'torn'])
  })

  test('ruined by the thousand are counted, not all kept', async () => {
    const bench = givenBench()
    await run(bench, 'worker-1', 1)
    writeFileSync(join(bench.directory, one), 'x\n'.repeat(5_000))
    const report = await verifyTrail({ directory: bench.directory, publicKey: bench.signer.publicKey })
    expect(report).toMatchObject({ sound: false, chains: [{ records: 0, moreFindings: 4_900 }] })
  })
})

describe('history written anew', () => {
  test('with every hash put right breaks at the next seal', async () => {
    const bench = await givenTrail()
    rewriteFrom(bench, 2, (lines) => lines.with(2, edited(lines[2])))
    const findings = await bench.findings()
    expect(findings[0]).toEqual(['worker-1', 'changed', one, 6])
  })

  test('with a record left out breaks at the next seal', async () => {
    const bench = await givenTrail()
    rewriteFrom(bench, 2, (lines) => lines.toSpliced(2, 1))
    const findings = await bench.findings()
    expect(findings[0]).toEqual(['worker-1', 'changed', one, 5])
  })

  test('with seals left out is missed by the other chain', async () => {
    const bench = await givenTrail()
    rewriteFrom(bench, 2, (lines) => lines.filter((line) => !line.includes('"seal"')).with(2, edited(lines[2])))
    expect(await bench.findings()).toEqual([['worker-1', 'truncated', one, 10]])
  })

  test('with seals of another key is refused', async () => {
    const bench = await givenTrail()
    const forger = givenSigner()
    const covers = { seq: 5, hash: sha256(`${bench.lines(one)[4]}\n`) }
    const statement = { chain: 'worker-1', at: 1, covers, heads: {}, key: keyId(bench.signer.publicKey) }
    const forged = sealBody(forger.signText(statementText(statement)))
    rewriteFrom(bench, 5, (lines) =>
      lines.with(5, lineAfter(genesis('worker-1'), 'worker-1', 'seal', forged).trimEnd()),
    )
    const findings = await bench.findings()
    expect(findings[0]).toEqual(['worker-1', 'bad signature', one, 6])
  })

  test('with the genuine seal of another chain is refused', async () => {
    const bench = await givenTrail()
    rewriteFrom(bench, 5, (lines) => lines.with(5, String(bench.lines(two).at(-1)).replace('worker-2', 'worker-1')))
    expect((await bench.findings())[0]).toEqual(['worker-1', 'bad signature', one, 6])
  })

  test('with a seal put on another, later record is refused', async () => {
    const bench = await givenTrail()
    rewriteFrom(bench, 11, (lines) => lines.with(11, String(lines[5])))
    expect((await bench.findings('with registry'))[0]).toEqual(['worker-1', 'changed', one, 12])
  })

  test('after a cut, by the service itself, does not hide the cut', async () => {
    const bench = await givenTrail()
    bench.rewrite(one, (lines) => lines.slice(0, 3))
    bench.heads.kept.delete('worker-1')
    await run(bench, 'worker-1', 20)
    const found = await bench.findings()
    expect(found).toContainEqual(['worker-1', 'changed', one, expect.any(Number)])
    // The keeper knows the end that was cut off.
    expect(found).toContainEqual(['worker-1', 'truncated', one, 4])
  })
})

describe('files', () => {
  test.each([1, 2, 3])('the one with number %i removed', async (number) => {
    const bench = await givenSegments()
    const file = `worker-1.00000${number}.jsonl`
    const next = `worker-1.00000${number + 1}.jsonl`
    rmSync(join(bench.directory, file))
    expect((await bench.findings()).slice(0, 2)).toEqual([
      ['worker-1', 'removed', file, 0],
      ['worker-1', 'removed', next, 1],
    ])
  })

  test('the last one removed', async () => {
    const bench = await givenSegments()
    rmSync(join(bench.directory, String(bench.files().findLast((file) => file.startsWith('worker-1')))))
    expect((await bench.findings()).map(([chain, kind]) => [chain, kind])).toEqual([['worker-1', 'truncated']])
  })

  test('two exchanged', async () => {
    const bench = await givenSegments()
    const [a, b, spare] = ['worker-1.000002.jsonl', 'worker-1.000003.jsonl', 'spare'].map((name) =>
      join(bench.directory, name),
    )
    renameSync(String(a), String(spare))
    renameSync(String(b), String(a))
    renameSync(String(spare), String(b))
    expect((await bench.findings())[0]).toEqual(['worker-1', 'removed', 'worker-1.000002.jsonl', 1])
  })

  test('a file with the last number of all ends neither the chain nor its verification', async () => {
    const bench = givenBench()
    await (await bench.open()).close()
    writeFileSync(join(bench.directory, 'worker-1.999999999.jsonl'), '')
    const trail = await bench.open({ segmentBytes: 1 })
    for (const event of manyEvents(3)) await trail.append(event)
    await trail.close()
    expect(bench.files()).toEqual(['worker-1.000001.jsonl', 'worker-1.999999999.jsonl'])
    expect(await bench.findings()).toEqual([['worker-1', 'removed', 'worker-1.000002.jsonl', 0]])
  })

  test('a whole chain removed', async () => {
    const bench = await givenTrail()
    rmSync(join(bench.directory, one))
    expect(await bench.findings()).toEqual([['worker-1', 'missing chain', two, 6]])
    rmSync(join(bench.directory, two))
    expect(await bench.findings()).toEqual([])
    expect(await bench.findings('with registry')).toEqual([
      ['worker-1', 'missing chain', 'audit_heads', 0],
      ['worker-2', 'missing chain', 'audit_heads', 0],
    ])
  })
})
