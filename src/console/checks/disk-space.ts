import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { foldersOnDisks } from '../../daemon/monitor/folder-probes.ts'
import { judgeDisk } from '../../monitor/judgement.ts'
import { findingsOf, type Check } from './findings.ts'

const topic = 'disk space'
const { judged, problem } = findingsOf(topic)

/** Checks free disk space: every call is recorded before it is answered, so a full disk stops the appliance. */
export const diskCheck: Check = {
  topic,
  async run(config) {
    const folders = foldersOnDisks(config).map(({ path }) => path)
    const free = await Promise.all(folders.filter(existsSync).map(roomFor))
    const least = free.toSorted((a, b) => a.freeBytes - b.freeBytes)[0]
    if (least === undefined) return [problem('none of the folders exists', 'Run "strongroom init".')]
    return [judged(judgeDisk(least.freeBytes, least.folder, config.warnings))]
  },
}

async function roomFor(folder: string): Promise<{ folder: string; freeBytes: number }> {
  const { bavail, bsize } = await statfs(folder)
  return { folder, freeBytes: bavail * bsize }
}
