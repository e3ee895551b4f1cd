import { randomBytes } from 'node:crypto'
import { findKey } from '../src/features/transparent/records.ts'
import { latestReference } from '../test/support/key-references.ts'
import { compileLoop } from './c-loop.ts'
import { cpuTimes } from './cpu.ts'
import { nameOf, sample, startDaemon, type Daemon, type Sample } from './daemon.ts'
import { table, takeTurns, warmUp, type Result, type Task } from './figures.ts'
import { builds, count, counts, readOptions, type Read } from './options.ts'
import { needTools } from './tools.ts'

const choices = {
  rounds: count(9, 'rounds, each of which measures everything once'),
  calls: count(400, 'batches per round'),
  items: count(100, 'items of a batch'),
  bytes: count(64, 'bytes of plaintext of an item'),
  warmup: count(12_000, 'batches before the first round'),
  connections: count(8, 'keep-alive connections to each daemon'),
  workers: counts([1, 2], 'one daemon for each number of workers'),
  against: builds,
}

type Options = Read<typeof choices>

/** Measures the CPU time per item of a batch, in turn with a loop in C over the same token. */
export async function main(args: string[]): Promise<void> {
  const options = readOptions('batch', choices, args)
  needTools()
  const daemons: Daemon[] = []
  const tasks: Task<Sample>[] = []
  try {
    for (const build of options.against)
      for (const workers of options.workers) {
        const daemon = await startDaemon({ build, connections: options.connections, settings: { http: { workers } } })
        daemons.push(daemon)
        if (tasks.length === 0) tasks.push(cLoop(daemon, options), await portAlone(daemon, options))
        tasks.push(await overTls(daemon, nameOf(build, workers), options))
      }
    const results = await takeTurns(tasks, options.rounds)
    console.log(options.json ? JSON.stringify({ ...options, node: process.version, results }) : text(results))
  } finally {
    for (const daemon of daemons) await daemon.close()
  }
}

/** The lower bound: the token, called from C. */
function cLoop({ appliance }: Daemon, { calls, items, bytes }: Options): Task<Sample> {
  const loop = compileLoop(appliance)
  return {
    name: 'loop in C',
    run() {
      const total = loop({ bytes, items: calls * items })
      return Promise.resolve({ primary: total, worker: 0, host: 0, keeper: 0, total, rate: 0 })
    },
  }
}

/** The port in this process, one batch at a time, and its token host. */
async function portAlone(daemon: Daemon, { calls, items, bytes, warmup }: Options): Promise<Task<Sample>> {
  const { appliance, admin, vault } = daemon
  await admin.must('POST', `/transparent/${vault}/keys/port`, {})
  const stored = await findKey(appliance.store.read, Number(vault), 'port')
  if (stored === undefined) throw new Error('the key is not in the database')
  const plaintexts = Array.from({ length: items }, () => randomBytes(bytes))
  const drive = async (times: number) => {
    // Made for each round, because its grant is valid for minutes.
    const key = await latestReference(appliance, stored)
    const batch = plaintexts.map((plaintext) => ({ key, plaintext }))
    for (let call = 0; call < times; call++) {
      const outcomes = await appliance.hsm.encryptMany(batch)
      if (outcomes.length !== items || outcomes.some((outcome) => 'fault' in outcome))
        throw new Error('a batch was not encrypted')
    }
  }
  await warmUp('the port alone', () => drive(warmup))
  return {
    name: 'the port alone',
    async run() {
      const [hosts, own, startedMs] = [cpuTimes(appliance.pid).host, process.cpuUsage(), performance.now()]
      await drive(calls)
      const { user, system } = process.cpuUsage(own)
      const worker = (user + system) / calls / items
      const host = (cpuTimes(appliance.pid).host - hosts) / calls / items
      const rate = (calls * items * 1000) / (performance.now() - startedMs)
      return { primary: 0, worker, host, keeper: 0, total: worker + host, rate }
    },
  }
}

/** `POST /transparent/:vaultid/encrypt/:name` with `batch_input`. */
async function overTls(daemon: Daemon, name: string, options: Options): Promise<Task<Sample>> {
  const { calls, items, bytes, warmup } = options
  const batch = Array.from({ length: items }, () => ({ plaintext: randomBytes(bytes).toString('base64') }))
  await checkRoundTrip(daemon, batch)
  const call = daemon.call('encrypt/bench', { batch_input: batch })
  const server = { pid: daemon.appliance.pid, load: daemon.load }
  await warmUp(name, () => sample(server, () => call, warmup))
  return {
    name: `over TLS, ${name}`,
    run: () => sample(server, () => call, calls, calls * items),
  }
}

/** Checks that every item can be decrypted again, so that the figures are of real encryptions. */
async function checkRoundTrip({ admin, vault }: Daemon, batch: readonly { plaintext: string }[]): Promise<void> {
  const encrypted = await admin.must('POST', `/transparent/${vault}/encrypt/bench`, { batch_input: batch })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what it is is checked at the end
  const ciphertexts = encrypted.CALLINFO['batch_results'] as { ciphertext: string }[]
  const batchInput = ciphertexts.map(({ ciphertext }) => ({ ciphertext }))
  const decrypted = await admin.must('POST', `/transparent/${vault}/decrypt/bench`, { batch_input: batchInput })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  const plaintexts = decrypted.CALLINFO['batch_results'] as { plaintext: string }[]
  if (plaintexts.some(({ plaintext }, at) => plaintext !== batch[at]?.plaintext) || plaintexts.length !== batch.length)
    throw new Error('the appliance does not decrypt what it encrypted')
}

function text(results: readonly Result<Sample>[]): string {
  return table([
    ['way', 'worker', 'host', 'CPU µs/item', 'to C', 'items/s (aside)'],
    ...results.map(({ name, worker, host, total, ratio, rate }) => [
      name,
      ...[worker, host, total].map((figure) => figure.toFixed(2)),
      ratio.toFixed(2),
      rate === 0 ? '–' : rate.toFixed(0),
    ]),
  ])
}
