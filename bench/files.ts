import { createHash, randomBytes } from 'node:crypto'
import { compileLoop } from './c-loop.ts'
import { driverOf, nameOf, sample, startDaemon, type Daemon, type Sample } from './daemon.ts'
import { table, takeTurns, type Result, type Task } from './figures.ts'
import type { Call, Load } from './load.ts'
import { builds, count, readOptions, type Read } from './options.ts'
import { needTools } from './tools.ts'
import { formWith, upload } from '../test/support/object-kit.ts'

const choices = {
  rounds: count(7, 'rounds, each of which measures everything once'),
  mib: count(64, 'MiB of a file'),
  files: count(2, 'files in each direction per round, one after another'),
  warmup: count(3, 'files in each direction before the first round'),
  workers: count(1, 'workers of each daemon'),
  against: builds,
}

type Options = Read<typeof choices>

/** Bytes of a file in one request to the token (features/objects/file-store.ts). */
const chunkBytes = 192 * 1024
const MiB = 1024 * 1024

/**
 * The allocator settings of token hosts. Without them glibc returns large blocks to the kernel, at three times the
 * cost.
 */
const allocator = {
  MALLOC_TRIM_THRESHOLD_: String(256 * MiB),
  MALLOC_MMAP_THRESHOLD_: String(64 * MiB),
  MALLOC_TOP_PAD_: String(16 * MiB),
}

/** Measures the CPU time per MiB of an uploaded and downloaded file, and of AES-GCM over as much in the same token. */
export async function main(args: string[]): Promise<void> {
  const options = readOptions('files', choices, args)
  needTools()
  const closing: (() => Promise<void>)[] = []
  const tasks: Task<Sample>[] = []
  try {
    for (const build of options.against) {
      const daemon = await startDaemon({ build, connections: 1, settings: settingsOf(options) })
      closing.push(() => daemon.close())
      // The driver of another release may be unable to send GET.
      const load = driverOf(daemon.appliance, { connections: 1 })
      closing.unshift(() => load.close())
      if (tasks.length === 0) tasks.push(...inToken(daemon, options))
      tasks.push(...(await throughDaemon(daemon, load, nameOf(build, options.workers), options)))
    }
    const results = await takeTurns(tasks, options.rounds)
    console.log(options.json ? JSON.stringify({ ...options, node: process.version, results }) : text(results))
  } finally {
    for (const close of closing) await close()
  }
}

const settingsOf = ({ workers, mib }: Options) => ({ http: { workers }, files: { maxBytes: mib * MiB } })

const inC = { up: 'encrypt in C', down: 'decrypt in C' }

/** The lower bound: the token, called from C. */
function inToken({ appliance }: Daemon, { mib, files }: Options): Task<Sample>[] {
  const loop = compileLoop(appliance)
  const items = Math.ceil((files * mib * MiB) / chunkBytes)
  return (['encrypt', 'decrypt'] as const).map((direction) => ({
    name: `${direction} in C`,
    to: `${direction} in C`,
    run() {
      const total = loop({ bytes: chunkBytes, items, direction, environment: allocator }) / (chunkBytes / MiB)
      return Promise.resolve({ primary: total, worker: 0, host: 0, keeper: 0, total, rate: 0 })
    },
  }))
}

async function throughDaemon(
  daemon: Daemon,
  load: Load,
  name: string,
  { mib, files, warmup }: Options,
): Promise<Task<Sample>[]> {
  const { appliance, admin, vault } = daemon
  const { pathname } = new URL(appliance.url)
  const content = randomBytes(mib * MiB)
  const id = await upload(admin, { groupid: vault }, content)
  await checkRoundTrip(daemon, id, content)
  const token = { 'x-http-token': admin.token ?? '' }
  const { raw, headers } = formWith({ groupid: vault }, content)
  const up: Call = {
    path: `${pathname}/object`,
    headers: { ...token, 'content-type': headers['Content-Type'] },
    body: raw,
  }
  const down: Call = { method: 'GET', path: `${pathname}/object/${id}?filedata=true`, headers: token }
  const drive = (call: Call, times: number) => sample({ pid: appliance.pid, load }, () => call, times, times * mib)
  for (const call of [up, down]) await drive(call, warmup)
  return [
    { name: `up, ${name}`, to: inC.up, run: () => drive(up, files) },
    { name: `down, ${name}`, to: inC.down, run: () => drive(down, files) },
  ]
}

/** Checks that the file comes back. */
async function checkRoundTrip({ admin }: Daemon, id: string, content: Buffer): Promise<void> {
  const { FILEDATA } = await admin.must('GET', `/object/${id}?filedata=true`)
  const [sent, came] = [content, Buffer.from(String(FILEDATA), 'base64')].map((bytes) =>
    createHash('sha256').update(bytes).digest('hex'),
  )
  if (sent !== came) throw new Error('the appliance does not give the file back')
}

function text(results: readonly Result<Sample>[]): string {
  return table([
    ['way', 'primary', 'workers', 'hosts', 'CPU µs/MiB', 'to C', 'MiB/s (aside)'],
    ...results.map(({ name, primary, worker, host, total, ratio, rate }) => [
      name,
      ...[primary, worker, host, total].map((figure) => figure.toFixed(0)),
      ratio.toFixed(2),
      rate === 0 ? '–' : rate.toFixed(0),
    ]),
  ])
}
