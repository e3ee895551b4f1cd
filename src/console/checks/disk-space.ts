import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import type { Config } from '../../config/schema.ts'
import { judgeDisk } from '../../monitor/judgement.ts'
import { findingsOf, type Check } from './findings.ts'

const topic = 'disk space'
const { judged, problem } = findingsOf(topic)

/** Every call is recorded before it is answered, so a full disk stops the appliance. */
export const diskCheck: Check = {
  topic,
  async run(config) {
    const free = await Promise.all(foldersOf(config).filter(existsSync).map(roomFor))
    const least = free.toSorted((a, b) => a.freeBytes - b.freeBytes)[0]
    if (least === undefined) return [problem('none of the folders exists', 'Run "strongroom init".')]
    return [judged(judgeDisk(least.freeBytes, least.folder, config.warnings))]
  },
}

function foldersOf({ audit, store, hsm }: Config): string[] {
  return [
    audit.directory,
    ...(store.sqlite === undefined ? [] : [dirname(store.sqlite)]),
    ...(hsm.tokenDirectory === undefined ? [] : [hsm.tokenDirectory]),
    tmpdir(),
  ]
}

async function roomFor(folder: string): Promise<{ folder: string; freeBytes: number }> {
  const { bavail, bsize } = await statfs(folder)
  return { folder, freeBytes: bavail * bsize }
}
