import { randomUUID } from 'node:crypto'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Succession, TrailKeys } from '../hsm/audit-succession.ts'
import type { Hsm } from '../hsm/hsm.ts'
import { textIfThere } from './optional-text.ts'
import { leavePublicKey, readPublicKey } from './public-key.ts'

/**
 * The file of successions in the folder of the trail, one in a line. The first key and the successions lead to all
 * other keys.
 */
export const successionsFile = 'audit-keys.jsonl'

/** The successions in this folder, unchecked (`keysFrom` checks them). Other lines are skipped. */
export async function readSuccessions(directory: string): Promise<Succession[]> {
  const text = await textIfThere(join(directory, successionsFile))
  return successionsIn(text?.split('\n') ?? [])
}

/** The successions in these lines; other lines are skipped. */
export function successionsIn(lines: readonly string[]): Succession[] {
  return lines.flatMap((line) => {
    const [, statement, byFormer, byNext] = successionShape.exec(line) ?? []
    return statement === undefined || byFormer === undefined || byNext === undefined
      ? []
      : [{ text: statement, byFormer: Buffer.from(byFormer, 'base64'), byNext: Buffer.from(byNext, 'base64') }]
  })
}

const successionShape = /^\{"succession":(\{.*\}),"from":"([A-Za-z0-9+/]{86}==)","to":"([A-Za-z0-9+/]{86}==)"\}$/

/** The line of a succession, without its newline. */
export const successionLine = ({ text, byFormer, byNext }: Succession): string =>
  `{"succession":${text},"from":"${byFormer.toString('base64')}","to":"${byNext.toString('base64')}"}`

/**
 * Reads the current key and its successions from the token, and adds to the folder what is missing there.
 * @throws Fault `audit.unavailable` if the folder's key belongs to another token
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

/** Replaces the file in one step, because another process may write it at the same time. */
async function writeSuccessions(directory: string, successions: readonly Succession[]): Promise<void> {
  const draft = join(directory, `${successionsFile}.${randomUUID()}`)
  await writeFile(draft, successions.map((one) => `${successionLine(one)}\n`).join(''), {
    mode: 0o644,
    flag: 'wx',
    flush: true,
  })
  await rename(draft, join(directory, successionsFile))
}

/** The keys in the folder of the trail; undefined if there are none yet. */
export async function readTrailKeys(directory: string): Promise<TrailKeys | undefined> {
  const publicKey = await readPublicKey(directory)
  return publicKey && { publicKey, successions: await readSuccessions(directory) }
}
