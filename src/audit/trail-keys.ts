import { randomUUID } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCodeOf } from '../fault.ts'
import type { Succession } from '../hsm/audit-succession.ts'
import type { Hsm } from '../hsm/hsm.ts'
import { leavePublicKey, readPublicKey } from './public-key.ts'

/** One succession in a line, beside the trail: with the first key alone, all others are known. */
export const successionsFile = 'audit-keys.jsonl'

/** A key of the trail, and what leads from it to the others. */
export interface TrailKeys {
  /** DER SubjectPublicKeyInfo. */
  readonly publicKey: Buffer
  readonly successions: readonly Succession[]
}

/** Those that lie in this folder; lines that are none are left out. Whether they are good: `keysFrom`. */
export async function readSuccessions(directory: string): Promise<Succession[]> {
  const text = await readFile(join(directory, successionsFile), 'utf8').catch((error: unknown) => {
    if (errorCodeOf(error) === 'ENOENT') return ''
    throw error
  })
  return successionsIn(text.split('\n'))
}

/** Those of these lines that are successions. */
export function successionsIn(lines: readonly string[]): Succession[] {
  return lines.flatMap((line) => {
    const [, statement, byFormer, byNext] = successionShape.exec(line) ?? []
    return statement === undefined || byFormer === undefined || byNext === undefined
      ? []
      : [{ text: statement, byFormer: Buffer.from(byFormer, 'base64'), byNext: Buffer.from(byNext, 'base64') }]
  })
}

const successionShape = /^\{"succession":(\{.*\}),"from":"([A-Za-z0-9+/]{86}==)","to":"([A-Za-z0-9+/]{86}==)"\}$/

/** As it stands in the file, without its newline. */
export const successionLine = ({ text, byFormer, byNext }: Succession): string =>
  `{"succession":${text},"from":"${byFormer.toString('base64')}","to":"${byNext.toString('base64')}"}`

/**
 * The key that signs now, with all that leads to it; leaves beside the trail what is not there yet. Rejects with
 * `audit.unavailable` where the key beside it is of another token.
 */
export async function leaveTrailKeys(directory: string, hsm: Pick<Hsm, 'auditKeys'>): Promise<TrailKeys> {
  const { publicKey, successions: told } = await hsm.auditKeys()
  const there = await readSuccessions(directory)
  const missing = told.filter(({ text }) => !there.some((one) => one.text === text))
  const successions = [...there, ...missing]
  if (missing.length > 0) await writeSuccessions(directory, successions)
  await leavePublicKey(directory, { publicKey, successions })
  return { publicKey, successions }
}

/** In one go: another process may write the same. */
async function writeSuccessions(directory: string, successions: readonly Succession[]): Promise<void> {
  const draft = join(directory, `${successionsFile}.${randomUUID()}`)
  await writeFile(draft, successions.map((one) => `${successionLine(one)}\n`).join(''), {
    mode: 0o644,
    flag: 'wx',
    flush: true,
  })
  await rename(draft, join(directory, successionsFile))
}

/** Of what lies beside the trail; undefined where there is no key yet. */
export async function readTrailKeys(directory: string): Promise<TrailKeys | undefined> {
  const publicKey = await readPublicKey(directory)
  return publicKey && { publicKey, successions: await readSuccessions(directory) }
}
