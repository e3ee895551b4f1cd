import { X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { createSealVerifier } from '../../audit/seal.ts'
import { readWitnessFile, type WitnessedHead, type WitnessFile } from '../../audit/witness/witness-file.ts'
import { readCertificates } from '../../config/loader.ts'
import { pemBlocks } from '../../encoding/pem.ts'
import type { TrailKeys } from '../../hsm/audit-succession.ts'
import { count } from '../output/command-answer.ts'
import { UsageError } from '../exit-code.ts'

/** The heads in the files of `--witness` that are about this trail. */
export interface Witnessed {
  readonly heads: readonly WitnessedHead[]
  /** Number of heads that keys of other appliances signed. */
  readonly others: number
  readonly rejected: WitnessFile['rejected']
}

/** Reads the files. @throws UsageError for a file that is not from a witness of this trail */
export async function readWitnessed(
  files: readonly string[],
  authorityFile: string | undefined,
  keys: TrailKeys,
): Promise<Witnessed> {
  const authorities = authorityFile === undefined ? [] : authoritiesIn(authorityFile)
  const read: WitnessFile[] = []
  for (const file of files) {
    if (!existsSync(file)) throw new UsageError(`${file} does not exist: name what a witness of the trail received.`)
    const found = await readWitnessFile(file, authorities)
    if (found.heads.length + found.rejected.length === 0)
      throw new UsageError(`${file} holds no head of an audit trail: name what a witness of the trail received.`)
    read.push(found)
  }
  const all = read.flatMap(({ heads }) => heads)
  const verifier = createSealVerifier(keys)
  const heads = all.filter(({ key }) => verifier.knows(key))
  const rejected = read.flatMap((found) => found.rejected)
  if (all.length > 0 && heads.length === 0)
    throw new UsageError(`No head in ${files.join(', ')} was signed by the key of this trail (${verifier.keyId}).`)
  return { heads, others: all.length - heads.length, rejected }
}

const authoritiesIn = (file: string): X509Certificate[] =>
  pemBlocks(readCertificates(file))
    .filter(({ label }) => label === 'CERTIFICATE')
    .map(({ bytes }) => new X509Certificate(bytes))

/** Lines for people about the heads that were compared and those that were not. */
export function describeWitnessed({ heads, others, rejected }: Witnessed): string[] {
  return [
    `The witness knows ${count(heads.length, 'signed head')} of this trail${others === 0 ? '' : `, and ${others} of other keys, which were not compared`}.`,
    ...rejected.map(({ position, reason }) => `bad time stamp: ${position.file}, line ${position.line}: ${reason}`),
  ]
}
