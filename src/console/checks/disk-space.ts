import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Config } from '../../config/schema.ts'
import { findingsOf, type Check } from './findings.ts'

const topic = 'disk space'
const { ok, warning, problem } = findingsOf(topic)
const mebibyte = 2 ** 20
const warningMiB = 1_024
const problemMiB = 100

/** Every call is recorded before it is answered, so a full disk stops the appliance. */
export const diskCheck: Check = {
  topic,
  async run(config) {
    const free = await Promise.all(foldersOf(config).filter(existsSync).map(freeMiB))
    const least = free.toSorted((a, b) => a.mebibytes - b.mebibytes)[0]
    if (least === undefined) return [problem('none of the folders exists', 'Run "strongroom init".')]
    const detail = `${Math.floor(least.mebibytes)} MiB free for ${least.folder}`
    if (least.mebibytes < problemMiB)
      return [problem(detail, 'Free some space now: when it is gone every call is refused.')]
    return [
      least.mebibytes < warningMiB
        ? warning(detail, 'Free some space, or move the folder to a larger disk.')
        : ok(detail),
    ]
  },
}

function foldersOf({ audit, store, hsm }: Config): string[] {
  return [
    audit.directory,
    ...(store.sqlite === undefined ? [] : [dirname(store.sqlite)]),
    ...(hsm.tokenDirectory === undefined ? [] : [hsm.tokenDirectory]),
  ]
}

async function freeMiB(folder: string): Promise<{ folder: string; mebibytes: number }> {
  const { bavail, bsize } = await statfs(folder)
  return { folder, mebibytes: (bavail * bsize) / mebibyte }
}
