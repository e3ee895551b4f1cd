import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { foldersOnDisks } from '../../daemon/monitor/folder-probes.ts'
import { judgeDisk, type Room } from '../../monitor/judgement.ts'
import { findingsOf, type Check, type Finding } from './findings.ts'

const topic = 'disk space'
const { judged, problem } = findingsOf(topic)

/** Checks free disk space: every call is recorded before it is answered, so a full disk stops the appliance. */
export const diskCheck: Check = {
  topic,
  async run(config) {
    const rooms = await Promise.all(
      foldersOnDisks(config).map(async ({ path }) => ({ path, room: await roomOf(path) })),
    )
    const judgements = rooms
      .flatMap(({ path, room }) => (typeof room === 'string' ? [] : [{ path, room }]))
      .toSorted((a, b) => a.room.freeBytes - b.room.freeBytes)
      .map(({ path, room }) => judgeDisk(room, path, config.warnings))
    const worst =
      judgements.find(({ state }) => state === 'problem') ??
      judgements.find(({ state }) => state !== 'ok') ??
      judgements[0]
    return [
      ...rooms.flatMap(({ path, room }) => (room === 'silent' ? [silence(path)] : [])),
      worst === undefined ? problem('none of the folders exists', 'Run "strongroom init".') : judged(worst),
    ]
  },
}

const run = promisify(execFile)
/** Disks answer far sooner, also on a busy machine: after this time one counts as hanging (a network disk, a controller). */
const limits = { timeout: 10_000, killSignal: 'SIGKILL' } as const

/**
 * The room on the disk of a folder, if it is there and answers. Asked by a process that can be killed: a thread of this
 * one that hung in a call to the disk would keep it from ending.
 */
export async function roomOf(folder: string): Promise<Room | 'missing' | 'silent'> {
  try {
    const { stdout } = await run('stat', ['--file-system', '--format=%a %b %S', folder], limits)
    const [free = 0, total = 0, blockBytes = 0] = stdout.split(' ').map(Number)
    return { freeBytes: (await isReadOnly(folder)) ? 0 : free * blockBytes, sizeBytes: total * blockBytes }
  } catch (error) {
    return wasKilled(error) ? 'silent' : 'missing'
  }
}

/** The same as in `read-only.ts`, by a process that can be killed. */
async function isReadOnly(folder: string): Promise<boolean> {
  try {
    await run('env', ['LC_ALL=C', 'touch', '--no-create', folder], limits)
    return false
  } catch (error) {
    if (wasKilled(error)) throw error
    return error instanceof Error && error.message.includes('Read-only file system')
  }
}

const wasKilled = (error: unknown): boolean => error instanceof Error && 'killed' in error && error.killed === true

/** The finding for a folder whose disk does not answer. */
export const silence = (folder: string): Finding =>
  problem(`the disk of ${folder} does not answer`, 'See to it, or to the machine that it lies on, and mount it again.')
