import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { createHsmClient } from '../src/hsm/client/hsm-client.ts'
import { findKeyType } from '../src/features/transparent/key-type.ts'
import type { StoredKey } from '../src/features/transparent/records.ts'
import { grantIn } from '../test/support/grant-kit.ts'
import { latestReferences } from '../test/support/key-references.ts'
import { cpuTimes, rssBytes } from './cpu.ts'
import { dist, driverOf, nameOf, sample, startDaemon, type Daemon, type Sample } from './daemon.ts'
import { reportProgress, table, takeTurns, warmUp, type Result, type Task } from './figures.ts'
import type { Call } from './load.ts'
import { builds, count, readOptions, type Read } from './options.ts'
import { needTools } from './tools.ts'

const choices = {
  keys: count(100_000, 'keys in the larger database'),
  rounds: count(9, 'rounds, each of which measures everything once'),
  calls: count(4_000, 'calls per round with a key in use'),
  cold: count(500, "calls per round with a key not used before; twice all rounds' and one's are taken from the keys"),
  warmup: count(20_000, 'calls to each daemon before the first round'),
  unmeasured: count(8, 'rounds of such calls before the first that is measured'),
  connections: count(16, 'keep-alive connections to each daemon'),
  against: builds,
}

type Options = Read<typeof choices>

/** Number of first uses of one kind in all rounds. */
const coldCalls = ({ rounds, unmeasured, cold }: Options): number => (rounds + unmeasured) * cold

const fewKeys = 10
/** Number of keys that a host holds by default (hsm.handles). */
const handles = 10_000

/** Measures the cost of many keys: in the database, at their first use, and in the memory of a token host. */
export async function main(args: string[]): Promise<void> {
  const options = readOptions('keys', choices, args)
  needTools()
  const { keys, connections } = options
  const needed = 2 * coldCalls(options) + 1
  if (keys < needed)
    throw new Error(`These rounds take ${needed} keys: give more --keys, or fewer --rounds, --unmeasured or --cold.`)
  const daemons: Daemon[] = []
  const start = async (build?: string): Promise<Daemon> => {
    const settings = { http: { workers: 1 }, hsm: { handles }, quotas: { keysPerMinute: 1_000_000 } }
    const daemon = await startDaemon({ ...(build ? { build } : {}), connections, settings })
    daemons.push(daemon)
    return daemon
  }
  try {
    const few = await start()
    await makeKeys(few, fewKeys)
    const tasks = [await hotTask(few, `encrypt, 1 of ${fewKeys} keys`, 'k1', options)]
    const filled: { readonly daemon: Daemon; readonly stored: readonly StoredKey[] }[] = []
    for (const build of options.against) {
      const daemon = await start(build)
      if (build === dist) filled.push({ daemon, stored: await makeKeys(daemon, keys) })
      else await createKeys(daemon, keys)
      tasks.push(...(await tasksOf(daemon, build === dist ? '' : `${nameOf(build, 1)}: `, options)))
    }
    const results = await takeTurns(tasks, options.rounds)
    const [first] = filled
    // With fewer keys than a host can hold there is nothing to measure.
    const memory = first && keys >= handles ? await memoryOf(first.daemon, first.stored) : undefined
    console.log(
      options.json
        ? JSON.stringify({ ...options, node: process.version, results, memory })
        : [text(results), ...(memory ? [memoryText(memory)] : [])].join('\n\n'),
    )
  } finally {
    for (const daemon of daemons) await daemon.close()
  }
}

const keysPerTransaction = 1_000

/** Makes keys `k0`, `k1`, … by the code that serves calls, but many in a transaction. */
export async function makeKeys({ appliance, vault }: Daemon, count: number): Promise<StoredKey[]> {
  const type = findKeyType('aes256-gcm96')
  if (type === undefined) throw new Error('there is no key type aes256-gcm96')
  const flags = { allowExport: false, allowPlaintextExport: false, allowBackup: false, allowDelete: true }
  const plain = { vaultId: Number(vault), type, info: '', residency: 'database', autoRotatePeriodMs: 0 } as const
  const stored: StoredKey[] = []
  const startedMs = performance.now()
  while (stored.length < count) {
    const grant = await grantIn(appliance, vault)
    const by = { grant: () => Promise.resolve(grant) }
    const made = await appliance.store.transaction((tx) =>
      Promise.all(
        Array.from({ length: Math.min(keysPerTransaction, count - stored.length) }, (_, at) =>
          appliance.services.keyring.create(by, { ...plain, ...flags, name: nameOfKey(stored.length + at) }, (work) =>
            work(tx),
          ),
        ),
      ),
    )
    stored.push(...made)
    if (stored.length % 10_000 === 0)
      reportProgress(`${stored.length} keys after ${((performance.now() - startedMs) / 1000).toFixed(0)} s`)
  }
  return stored
}

/** Makes the same keys in a build of another release, over the wire, because its rows differ. */
async function createKeys({ load, call }: Daemon, count: number): Promise<void> {
  let created = 0
  await load.drive(() => call(`keys/${nameOfKey(created++)}`, {}), count)
}

const nameOfKey = (at: number): string => `k${at}`

const task = (daemon: Daemon, name: string, times: number, next: () => Call): Task<Sample> => ({
  name,
  run: () => sample({ pid: daemon.appliance.pid, load: daemon.load }, next, times),
})

const plaintext = randomBytes(64).toString('base64')
const encryption = (daemon: Daemon, name: string): Call => daemon.call(`encrypt/${name}`, { plaintext })

/** Encryptions with one key, after a warm-up. */
async function hotTask(daemon: Daemon, name: string, key: string, { calls, warmup }: Options): Promise<Task<Sample>> {
  const call = encryption(daemon, key)
  await warmUp(name, () => daemon.load.drive(() => call, warmup))
  return task(daemon, name, calls, () => call)
}

/** The tasks for one build. `of`: its name. */
async function tasksOf(daemon: Daemon, of: string, options: Options) {
  const { keys, calls, cold } = options
  const perTask = coldCalls(options)
  const names = Array.from({ length: keys }, (_, at) => nameOfKey(at))
  const hot = nameOfKey(0)
  const unopened = (await decryptionsWith(daemon, names.slice(0, perTask + 1), options)).values()
  const decryption = taken(unopened)
  const unused = names.slice(perTask + 1).values()
  // The hosts have just used these keys. After the restart none of them is cached.
  await daemon.appliance.restart()
  let [created, rotated] = [0, 0]
  const inUse = [
    await hotTask(daemon, `${of}encrypt, 1 of ${keys} keys`, hot, options),
    task(daemon, `${of}decrypt, 1 of ${keys} keys`, calls, () => decryption),
  ]
  const firstUses = [
    task(daemon, `${of}decrypt, first use of a key`, cold, () => taken(unopened)),
    task(daemon, `${of}encrypt, first use of a key`, cold, () => encryption(daemon, taken(unused))),
    task(daemon, `${of}create a key`, cold, () => daemon.call(`keys/new${created++}`, {})),
    task(daemon, `${of}rotate a key`, cold, () => daemon.call(`keys/new${rotated++}/rotate`, {})),
    task(daemon, `${of}rotate one key`, cold, () => daemon.call(`keys/${hot}/rotate`, {})),
  ]
  // V8 continues to compile for thousands of calls of each kind.
  await warmUp(`${of}other calls`, async () => {
    for (let round = 0; round < options.unmeasured; round++) for (const { run } of firstUses) await run()
  })
  return [...inUse, ...firstUses]
}

const answered = z.object({ CALLINFO: z.object({ ciphertext: z.string() }) })

/** Calls that decrypt ciphertexts of these keys. */
async function decryptionsWith(daemon: Daemon, names: readonly string[], { connections }: Options): Promise<Call[]> {
  // The driver of an earlier build does not return answers.
  const load = driverOf(daemon.appliance, { connections })
  try {
    return await Promise.all(
      names.map(async (name) => {
        const { CALLINFO } = answered.parse(JSON.parse(await load.send(encryption(daemon, name))))
        return daemon.call(`decrypt/${name}`, { ciphertext: CALLINFO.ciphertext })
      }),
    )
  } finally {
    await load.close()
  }
}

function taken<T>(from: Iterator<T>): T {
  const next = from.next()
  if (next.done === true) throw new Error('there are too few keys')
  return next.value
}

interface Memory {
  /** Resident memory of a host that holds one key, after some work. */
  readonly beforeBytes: number
  /** Resident memory of a host that holds as many keys as it may. */
  readonly afterBytes: number
  /**
   * Host CPU time of a first use while there is room, and when each evicts another key. The latter is undefined for too
   * few keys.
   */
  readonly fillUs: number
  readonly replaceUs: number | undefined
}

/** Makes one host of the daemon hold key after key. */
async function memoryOf({ appliance, vault }: Daemon, stored: readonly StoredKey[]): Promise<Memory> {
  await appliance.restart()
  const [socket] = appliance.config.hsm.sockets
  if (socket === undefined) throw new Error('there is no token host')
  const hsm = createHsmClient({ sockets: [socket], deadlineMs: 60_000, queue: 4096 })
  const encryptWith = async (keys: readonly StoredKey[]): Promise<number> => {
    const references = await latestReferences(appliance, vault, keys)
    const before = cpuTimes(appliance.pid).host
    for (let at = 0; at < keys.length; at += 100)
      await Promise.all(references.slice(at, at + 100).map((key) => hsm.encrypt(key, Buffer.alloc(64))))
    return (cpuTimes(appliance.pid).host - before) / keys.length
  }
  try {
    // The key of the hot task has been rotated since.
    const [, first, ...others] = stored
    if (first === undefined) throw new Error('there are no keys')
    // As many calls as will follow, so that the difference in memory is that of the keys.
    await encryptWith(Array.from({ length: 2 * handles }, () => first))
    const beforeBytes = rssBytes(appliance.pid, socket)
    const fillUs = await encryptWith(others.slice(0, handles - 1))
    const afterBytes = rssBytes(appliance.pid, socket)
    const more = others.slice(handles - 1, 2 * handles)
    return { beforeBytes, afterBytes, fillUs, replaceUs: more.length > 0 ? await encryptWith(more) : undefined }
  } finally {
    await hsm.close()
  }
}

function memoryText({ beforeBytes, afterBytes, fillUs, replaceUs }: Memory): string {
  const [before, after] = [beforeBytes, afterBytes].map((bytes) => (bytes / 2 ** 20).toFixed(0))
  const each = ((afterBytes - beforeBytes) / handles / 1024).toFixed(1)
  const replacing = replaceUs === undefined ? '' : `, and ${replaceUs.toFixed(0)} µs when another is let go for it`
  return [
    `A host's memory with 1 and with ${handles} cached handles: ${before} MiB, ${after} MiB: ${each} KiB each.`,
    `First use of a key in the host: ${fillUs.toFixed(0)} µs of processor time${replacing}.`,
  ].join('\n')
}

function text(results: readonly Result<Sample>[]): string {
  return table([
    ['call', 'workers', 'hosts', 'keeper', 'CPU µs/call', 'to the first', 'calls/s (aside)'],
    ...results.map(({ name, worker, host, keeper, total, ratio, rate }) => [
      name,
      ...[worker, host, keeper, total].map((figure) => figure.toFixed(0)),
      ratio.toFixed(2),
      rate.toFixed(0),
    ]),
  ])
}
