import { randomBytes } from 'node:crypto'
import { createClient } from '../clients/node/src/client.ts'
import { nodeTransport } from '../clients/node/src/node-transport.ts'
import { cpuTimes } from './cpu.ts'
import { startDaemon, type Daemon } from './daemon.ts'
import { table, takeTurns, warmUp, type Figures, type Result, type Task } from './figures.ts'
import { count, readOptions, type Read } from './options.ts'
import { needTools } from './tools.ts'

const choices = {
  rounds: count(7, 'rounds, each of which measures both ways once'),
  calls: count(4_000, 'encryptions per round'),
  together: count(100, 'encryptions that the program asks for in one tick'),
  bytes: count(64, 'bytes of plaintext'),
  warmup: count(40_000, 'encryptions of each way before the first round'),
  connections: count(16, 'connections of the client'),
  workers: count(1, 'workers of the daemon'),
}

type Options = Read<typeof choices>

/** Microseconds of processor time per encryption. */
interface Sides extends Figures {
  readonly client: number
  readonly appliance: number
  readonly rate: number
}

/**
 * Measures what the client for Node.js and the appliance save when the client joins the encryptions of one tick. Both
 * ways take turns in one run.
 */
export async function main(args: string[]): Promise<void> {
  const options = readOptions('client', choices, args)
  needTools()
  const daemon = await startDaemon({ connections: 1, settings: { http: { workers: options.workers } } })
  try {
    await daemon.admin.must('POST', `/transparent/${daemon.vault}/keys/bench`, {})
    const tasks = [await way(daemon, 'each by itself', false, options), await way(daemon, 'joined', true, options)]
    const results = await takeTurns(tasks, options.rounds)
    console.log(options.json ? JSON.stringify({ ...options, node: process.version, results }) : text(results))
  } finally {
    await daemon.close()
  }
}

async function way(
  { appliance, admin, vault }: Daemon,
  name: string,
  batch: boolean,
  { calls, together, bytes, warmup, connections }: Options,
): Promise<Task<Sides>> {
  const transport = nodeTransport({ ca: appliance.ca, maxConnections: connections })
  const client = createClient({ url: appliance.url, token: admin.token, transport, batch })
  const key = client.key(vault, 'bench')
  const plaintext = randomBytes(bytes)
  const drive = async (times: number): Promise<void> => {
    for (let at = 0; at < times; at += together)
      await Promise.all(Array.from({ length: Math.min(together, times - at) }, async () => key.encrypt(plaintext)))
  }
  if (!plaintext.equals(await key.decrypt(await key.encrypt(plaintext))))
    throw new Error('the appliance does not decrypt what it encrypted')
  await warmUp(name, () => drive(warmup))
  return {
    name,
    async run() {
      const [before, own, startedMs] = [cpuTimes(appliance.pid), process.cpuUsage(), performance.now()]
      await drive(calls)
      const { user, system } = process.cpuUsage(own)
      const seconds = (performance.now() - startedMs) / 1000
      const after = cpuTimes(appliance.pid)
      const spent = after.primary + after.worker + after.host - before.primary - before.worker - before.host
      const [client, appliances] = [(user + system) / calls, spent / calls]
      return { client, appliance: appliances, total: client + appliances, rate: calls / seconds }
    },
  }
}

function text(results: readonly Result<Sides>[]): string {
  return table([
    ['encryptions', 'client', 'appliance', 'CPU µs/call', 'to the first', 'calls/s (aside)'],
    ...results.map(({ name, client, appliance, total, ratio, rate }) => [
      name,
      ...[client, appliance, total].map((figure) => figure.toFixed(1)),
      ratio.toFixed(3),
      rate.toFixed(0),
    ]),
  ])
}
