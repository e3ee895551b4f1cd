import { existsSync } from 'node:fs'
import { gapsBetween } from '../../audit/archive/archive-manifest.ts'
import { verifyBundle, type BundleReport } from '../../audit/archive/bundle.ts'
import { createSealVerifier } from '../../audit/seal.ts'
import { successionsIn } from '../../audit/trail-keys.ts'
import { exitCodes, UsageError } from '../exit-code.ts'
import type { Invocation } from '../invocation.ts'
import { dateOf, wrap, type Answer } from '../output/command-answer.ts'
import type { Terminal } from '../output/terminal.ts'
import { keyFor, type GivenTrail } from './verification-input.ts'

/**
 * Verifies bundles of `strongroom audit archive`, each by itself, with a key that is not from the bundle.
 * @throws UsageError if a file does not exist
 */
export async function verifyArchives(
  files: readonly string[],
  trail: GivenTrail,
  invocation: Invocation,
): Promise<Answer> {
  const missing = files.find((file) => !existsSync(file))
  if (missing !== undefined)
    throw new UsageError(`${missing} does not exist: name a bundle of "strongroom audit archive".`)
  const { publicKey, keySource } = await keyFor(trail, invocation)
  const verifierFor = (lines: readonly string[]) => createSealVerifier({ publicKey, successions: successionsIn(lines) })
  const reports = await Promise.all(files.map(async (file) => ({ file, ...(await verifyBundle(file, verifierFor)) })))
  const gaps = gapsBetween(reports.flatMap(({ archive }) => archive ?? []))
  const sound = reports.every(({ faults }) => faults.length === 0)
  return {
    json: { key: keySource, sound, bundles: reports, notGiven: gaps },
    lines: [
      ...reports.flatMap((report) => describe(report, invocation.terminal)),
      ...gaps.map(
        ({ chain, first, last }) => `Not given: the bundle with the records ${first} to ${last} of ${chain}.`,
      ),
    ],
    exitCode: sound ? exitCodes.done : exitCodes.refused,
  }
}

function describe({ file, archive, faults }: BundleReport & { readonly file: string }, terminal: Terminal): string[] {
  const what =
    archive === undefined
      ? []
      : [
          `  ${archive.chain}, records ${archive.before.seq + 1} to ${archive.last.seq}, until ${dateOf(archive.until)}, SHA-256 of its lines ${archive.sha256}`,
        ]
  const verdict =
    faults.length === 0
      ? [terminal.coloured('green', '  Nothing was changed, removed or added.')]
      : faults.flatMap((fault) => wrap(fault, terminal.width - 2).map((text) => terminal.coloured('red', `  ${text}`)))
  return [file, ...what, ...verdict]
}
