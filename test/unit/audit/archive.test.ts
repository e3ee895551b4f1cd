import { execFileSync } from 'node:child_process'
import { appendFileSync, copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { addArchived, archivesFile } from '../../../src/audit/archive/archived-files.ts'
import { verifyBundle, writeBundle, writeContent } from '../../../src/audit/archive/bundle.ts'
import {
  archiveSubject,
  gapsBetween,
  parseManifest,
  statementOf,
  type ArchiveManifest,
} from '../../../src/audit/archive/archive-manifest.ts'
import { findProof } from '../../../src/audit/archive/proof.ts'
import { createSealVerifier } from '../../../src/audit/seal.ts'
import { verifyTrail } from '../../../src/audit/trail-verification.ts'
import { despiteArchiving } from '../../../src/console/audit/moved-files.ts'
import { listSegments } from '../../../src/audit/segment.ts'
import { eventOf } from '../../support/event-kit.ts'
import { givenBench, givenDirectory, givenSigner, manyEvents, type Bench } from '../../support/trail-kit.ts'

const shell = (command: string): string => execFileSync('bash', ['-c', command], { encoding: 'utf8' }).trim()

/** Files of some records each, sealed now and then, with a chain of the console beside. */
async function givenTrail(): Promise<Bench> {
  const bench = givenBench()
  for (let round = 0; round < 4; round += 1) {
    const trail = await bench.open({ segmentBytes: 2_000 })
    for (const event of manyEvents(8)) await trail.append(event)
    await trail.close()
  }
  expect(bench.files().length).toBeGreaterThan(5)
  return bench
}

/** What the command does for the first files of a chain, but for their removal. */
async function archiveFirst(bench: Bench, files: number) {
  const { directory, signer } = bench
  const segments = ((await listSegments(directory)).get('worker-1') ?? []).slice(0, files)
  const verifier = createSealVerifier({ publicKey: signer.publicKey, successions: [] })
  const to = givenDirectory()
  const content = join(to, 'content')
  const { statement, findings } = await writeContent(content, directory, segments, verifier, undefined)
  expect(findings).toEqual([])
  const trail = await bench.open({ chain: 'console' })
  const target = archiveSubject(statement)
  await trail.append(eventOf({ operation: 'console.audit.archive', outcome: 'allowed', target }))
  await trail.close()
  const proof = await findProof(directory, 'console', statement)
  if (proof === undefined) throw new Error('no seal covers the record')
  const manifest: ArchiveManifest = { archive: statement, proof, publicKey: '', successions: [] }
  const bundle = join(to, 'bundle.gz')
  await writeBundle(bundle, content, manifest)
  await addArchived(directory, manifest)
  const verify = (key = signer) =>
    verifyBundle(bundle, () => createSealVerifier({ publicKey: key.publicKey, successions: [] }))
  const remove = (names = segments.map(({ name }) => name)) => {
    for (const name of names) rmSync(join(directory, name))
  }
  return { segments, bundle, manifest, verify, remove }
}

test('a trail is sound before, while and after archived files are removed', async () => {
  const bench = await givenTrail()
  const { segments, remove } = await archiveFirst(bench, 3)
  expect(await bench.findings('with registry')).toEqual([])
  for (const { name } of segments) {
    remove([name])
    expect(await bench.findings('with registry'), name).toEqual([])
  }
  // And the next one takes up where it ends.
  const trail = await bench.open({ segmentBytes: 2_000 })
  for (const event of manyEvents(9)) await trail.append(event)
  await trail.close()
  expect(await bench.findings('with registry')).toEqual([])
})

test('zcat, jq and sha256sum agree with the manifest of a bundle, which is verified by itself', async () => {
  const bench = await givenTrail()
  const { bundle, manifest, segments, verify } = await archiveFirst(bench, 3)
  const files = segments.map(({ name }) => join(bench.directory, name)).join(' ')
  const { archive } = manifest
  expect(shell(`zcat ${bundle} | head -1 | jq -r .archive.sha256`)).toBe(archive.sha256)
  expect(shell(`zcat ${bundle} | tail -n +2 | sha256sum | cut -d' ' -f1`)).toBe(archive.sha256)
  expect(shell(`cat ${files} | sha256sum | cut -d' ' -f1`)).toBe(archive.sha256)
  expect(shell(`zcat ${bundle} | tail -1 | sha256sum | cut -d' ' -f1`)).toBe(archive.last.hash)
  expect(shell(`zcat ${bundle} | tail -n +2 | jq -r 'select(.type == "event") | .seq' | wc -l`)).toBe(
    String(archive.records),
  )
  expect(await verify()).toEqual({ archive, faults: [] })
  expect((await verify(givenSigner())).faults[0]).toContain('No seal of the trail proves')
})

const otherDigit = (digit: string): string => (digit === '0' ? '1' : '0')

test.each<[name: string, change: (lines: string[]) => string[]]>([
  ['a changed record', (lines) => lines.with(3, String(lines[3]).replace('alice', 'mallo'))],
  ['a record left out', (lines) => lines.toSpliced(3, 1)],
  ['its last record cut off', (lines) => lines.slice(0, -1)],
  ['another hash in its manifest', (lines) => lines.with(0, String(lines[0]).replace(/(?<="sha256":")./, otherDigit))],
])('a bundle with %s is found', async (_, change) => {
  const bench = await givenTrail()
  const { bundle, verify } = await archiveFirst(bench, 3)
  const lines = shell(`zcat ${bundle}`).split('\n')
  writeFileSync(
    `${bundle}.txt`,
    change(lines)
      .map((line) => `${line}\n`)
      .join(''),
  )
  shell(`gzip -c ${bundle}.txt >${bundle}`)
  expect((await verify()).faults.length).toBeGreaterThan(0)
})

test('an attacker removes no file that was not archived, and says of none that it was', async () => {
  const bench = await givenTrail()
  const { manifest, remove } = await archiveFirst(bench, 2)
  remove()
  const [next = ''] = bench.files().filter((name) => name.startsWith('worker-1'))
  const kept = join(givenDirectory(), next)
  copyFileSync(join(bench.directory, next), kept)
  rmSync(join(bench.directory, next))
  const first = (await bench.findings('with registry'))[0]
  expect(first?.slice(0, 2)).toEqual(['worker-1', 'removed'])
  // He claims more than was archived, in the list that lies beside the trail.
  const list = join(bench.directory, archivesFile)
  const claimed = { ...manifest.archive, files: { first: 1, last: 3 }, last: { seq: 24, hash: 'a'.repeat(64) } }
  const forged = readFileSync(list, 'utf8').replace(
    /"archive":\{.*?\},"proof"/,
    `"archive":${statementOf(claimed)},"proof"`,
  )
  expect(parseManifest(forged.trim())).toBeDefined()
  appendFileSync(list, forged)
  expect((await bench.findings('with registry'))[0]?.slice(0, 2)).toEqual(['worker-1', 'removed'])
  copyFileSync(kept, join(bench.directory, next))
  expect(await bench.findings('with registry')).toEqual([])
  // He takes the list away: then all that is not there is missed.
  rmSync(list)
  expect((await bench.findings('with registry'))[0]?.slice(0, 2)).toEqual(['worker-1', 'removed'])
})

test('a proof of another chain, or a record of a worker, archives nothing', async () => {
  const bench = await givenTrail()
  const { manifest, remove } = await archiveFirst(bench, 2)
  remove()
  const list = join(bench.directory, archivesFile)
  const { chain } = manifest.archive
  const trail = await bench.open({ chain: 'worker-2' })
  await trail.append(
    eventOf({ operation: 'console.audit.archive', outcome: 'allowed', target: archiveSubject(manifest.archive) }),
  )
  await trail.close()
  const proof = (await findProof(bench.directory, 'worker-2', manifest.archive)) ?? []
  expect(proof.length).toBeGreaterThan(1)
  writeFileSync(list, '')
  await addArchived(bench.directory, { ...manifest, proof })
  expect((await bench.findings())[0]?.slice(0, 2)).toEqual([chain, 'removed'])
})

test('all files of an archived chain gone are missed without the registry', async () => {
  const bench = await givenTrail()
  const { remove } = await archiveFirst(bench, 2)
  remove()
  remove(bench.files().filter((name) => name.startsWith('worker-1')))
  expect((await bench.findings()).map(([chain, kind]) => `${chain} ${kind}`)).toContain('worker-1 missing chain')
  expect(existsSync(join(bench.directory, archivesFile))).toBe(true)
})

test('a bundle that cannot be written leaves nothing on a disk that may be full', async () => {
  const bench = await givenTrail()
  const { manifest } = await archiveFirst(bench, 3)
  const to = givenDirectory()
  await expect(writeBundle(join(to, 'bundle.gz'), join(to, 'missing'), manifest)).rejects.toThrow('ENOENT')
  expect(readdirSync(to)).toEqual([])
})

test('files that are archived while a trail is verified are no finding; those that an attacker takes are', async () => {
  const bench = await givenTrail()
  const { segments, remove } = await archiveFirst(bench, 3)
  const { directory, signer } = bench
  const verify = (whileRead: () => void) =>
    verifyTrail({
      directory,
      publicKey: signer.publicKey,
      heads: bench.heads.kept,
      onEvent: (_, { file }) => file.startsWith('worker-1') && whileRead(),
    })
  let takes = [segments.slice(1).map(({ name }) => name), [segments[0]?.name ?? '']]
  const take = () => remove(takes.splice(0, 1).flat())
  const reports: boolean[] = []
  const found = await despiteArchiving([directory], async () => {
    const report = await verify(take)
    reports.push(report.sound)
    return report
  })
  expect([reports[0], found.sound]).toEqual([false, true])
  takes = [
    bench
      .files()
      .filter((name) => name.startsWith('worker-1'))
      .slice(1, 2),
  ]
  expect(await despiteArchiving([directory], () => verify(take))).toMatchObject({ sound: false })
})

test('a bundle that is missing between others is named', () => {
  const archive = (chain: string, first: number, last: number) => ({
    chain,
    before: { seq: first - 1, hash: '' },
    last: { seq: last, hash: '' },
  })
  const given = [archive('console', 1, 9), archive('worker-1', 601, 900), archive('worker-1', 1, 300)]
  expect(gapsBetween(given)).toEqual([{ chain: 'worker-1', first: 301, last: 600 }])
  expect(gapsBetween([...given, archive('worker-1', 301, 600)])).toEqual([])
})
