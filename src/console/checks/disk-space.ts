import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { foldersOnDisks } from '../../daemon/monitor/folder-probes.ts'
import { judgeDisk, type Room } from '../../monitor/judgement.ts'
import { findingsOf, type Check } from './findings.ts'

const topic = 'disk space'
const { judged, problem } = findingsOf(topic)

/** Checks free disk space: every call is recorded before it is answered, so a full disk stops the appliance. */
export const diskCheck: Check = {
  topic,
  async run(config) {
    const folders = foldersOnDisks(config).map(({ path }) => path)
    const rooms = await Promise.all(folders.filter(existsSync).map(roomFor))
    const judgements = rooms
      .toSorted((a, b) => a.freeBytes - b.freeBytes)
      .map((room) => judgeDisk(room, room.folder, config.warnings))
    const worst =
      judgements.find(({ state }) => state === 'problem') ??
      judgements.find(({ state }) => state !== 'ok') ??
      judgements[0]
    return [worst === undefined ? problem('none of the folders exists', 'Run "strongroom init".') : judged(worst)]
  },
}

async function roomFor(folder: string): Promise<Room & { readonly folder: string }> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { folder, freeBytes: bavail * bsize, sizeBytes: blocks * bsize }
}
