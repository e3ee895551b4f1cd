import { operatorId } from '../src/access/confirmation.ts'
import { createHmac } from 'node:crypto'
import { Pool } from 'undici'
import { newNonce, queryOf, TestValidator } from '../test/api/otp-validation/validation-kit.ts'
import { cpuTimes } from './cpu.ts'
import { table, takeTurns, type Figures, type Result } from './figures.ts'
import { QuickToken } from './quick-token.ts'
import { hasYubiserver, startYubiserver } from './yubiserver.ts'
import { count, counts, readOptions, type Read } from './options.ts'
import { needTools } from './tools.ts'

const choices = {
  rounds: count(7, 'rounds, each of which measures everything once'),
  calls: count(600, 'verifications per round and server'),
  warmup: count(2_000, 'verifications by each server before the first round'),
  connections: counts([1, 8, 32], 'how many are under way at once'),
  workers: count(2, 'workers of the daemon'),
  races: count(200, 'OTPs that are each shown 50 times at once'),
}

type Options = Read<typeof choices>

/** A server that verifies OTPs. */
interface Contestant {
  readonly name: string
  readonly pid: number
  readonly origin: string
  /** PEM; undefined for plain HTTP. */
  readonly ca: string | undefined
  readonly client: { readonly id: number; readonly key: string }
  /** One token for each connection of the run with the most, because the OTPs of a token must arrive in order. */
  readonly tokens: readonly QuickToken[]
}

/** `total`: microseconds between two verifications. */
interface Sample extends Figures {
  readonly rate: number
  readonly cpu: number
  /** Refused fresh OTPs, in percent. */
  readonly refused: number
}

const replays = 50

/** Measures verifications per second in turn with Debian's yubiserver, and counts OTPs that races let through twice. */
export async function main(args: string[]): Promise<void> {
  const options = readOptions('otp', choices, args)
  needTools()
  const widest = Math.max(...options.connections)
  const tokens = Array.from({ length: widest }, () => new QuickToken())
  const validator = await TestValidator.start({
    http: { workers: options.workers },
    audit: { sealIntervalMs: 5_000 },
    validator: { requestsPerSecond: 1_000_000 },
  })
  const yubiserver = hasYubiserver ? await startYubiserver(tokens) : undefined
  try {
    const { appliance } = validator
    await enrol(validator, tokens)
    const ours = { name: 'strongroom', pid: appliance.pid, origin: new URL(validator.url).origin, ca: appliance.ca }
    const contestants: Contestant[] = [
      ...(yubiserver === undefined ? [] : [{ ...yubiserver, name: 'yubiserver', ca: undefined, tokens }]),
      { ...ours, client: await validator.addClient(), tokens: tokens.map(copy) },
    ]
    const rates = []
    for (const connections of options.connections) rates.push(...(await compare(contestants, connections, options)))
    const races = []
    for (const contestant of contestants) races.push(await race(contestant, options.races))
    console.log(
      options.json
        ? JSON.stringify({ ...options, node: process.version, rates, races })
        : `${text(rates)}\n\n${races.map(raceText).join('\n')}`,
    )
  } finally {
    yubiserver?.close()
    await validator.close()
  }
}

/** A copy of the token for another server, to which its OTPs are new. */
function copy(token: QuickToken): QuickToken {
  return Object.assign(new QuickToken(token.publicId), { privateId: token.privateId, key: token.key })
}

/** Enrols two tokens for each user, who has one already. */
async function enrol({ appliance }: TestValidator, tokens: readonly QuickToken[]): Promise<void> {
  const { services, commit } = appliance
  for (let at = 0; at < tokens.length; at += 2) {
    const { id } = await appliance.addUser()
    for (const token of tokens.slice(at, at + 2))
      await services.enrolments.enrolHardwareToken(id, token.secrets(), operatorId, commit)
  }
}

async function compare(contestants: readonly Contestant[], connections: number, { rounds, calls, warmup }: Options) {
  const runs = contestants.map((contestant) => ({ contestant, pool: poolOf(contestant, connections) }))
  try {
    for (const { contestant, pool } of runs) await verifyAll(pool, requests(contestant, connections, warmup))
    const tasks = runs.map(({ contestant, pool }) => ({
      name: contestant.name,
      run: () => sample(contestant, pool, requests(contestant, connections, calls)),
    }))
    return (await takeTurns(tasks, rounds)).map((result) => ({ ...result, connections }))
  } finally {
    for (const { pool } of runs) await pool.close()
  }
}

function poolOf({ origin, ca }: Contestant, connections: number): Pool {
  return new Pool(origin, { connections, pipelining: 1, ...(ca === undefined ? {} : { connect: { ca } }) })
}

/** The paths of signed requests for each lane, with fresh OTPs of its own token, made in advance. */
function requests(contestant: Contestant, lanes: number, times: number): string[][] {
  return contestant.tokens
    .slice(0, lanes)
    .map((token) => Array.from({ length: Math.ceil(times / lanes) }, () => requestFor(contestant, token.press())))
}

function requestFor({ client }: Contestant, otp: string): string {
  const members = { id: String(client.id), nonce: newNonce(), otp }
  const query = queryOf(members)
  // The values need no escapes, and their names are sorted: so the query is the text to sign.
  const h = createHmac('sha1', Buffer.from(client.key, 'base64')).update(query).digest('base64')
  return `/wsapi/2.0/verify?${query}&h=${encodeURIComponent(h)}`
}

/** Sends the requests of a lane one after another, and all lanes concurrently. Resolves to the number of OK answers. */
async function verifyAll(pool: Pool, lanes: readonly (readonly string[])[]): Promise<number> {
  let accepted = 0
  await Promise.all(
    lanes.map(async (paths) => {
      for (const path of paths) if ((await wordOf(pool, path)) === 'OK') accepted++
    }),
  )
  return accepted
}

async function wordOf(pool: Pool, path: string): Promise<string | undefined> {
  const { body } = await pool.request({ method: 'GET', path })
  return /^status=(\w+)\r?$/m.exec(await body.text())?.[1]
}

async function sample({ pid }: Contestant, pool: Pool, lanes: readonly (readonly string[])[]): Promise<Sample> {
  const times = lanes.flat().length
  const [before, startedMs] = [cpuOf(pid), performance.now()]
  const accepted = await verifyAll(pool, lanes)
  const wallMs = performance.now() - startedMs
  return {
    total: (wallMs * 1000) / times,
    rate: (times * 1000) / wallMs,
    cpu: (cpuOf(pid) - before) / times,
    refused: ((times - accepted) * 100) / times,
  }
}

function cpuOf(pid: number): number {
  const { primary, worker, host, keeper } = cpuTimes(pid)
  return primary + worker + host + keeper
}

interface Race {
  readonly name: string
  readonly otps: number
  readonly requests: number
  readonly accepted: number
  /** Number of OTPs that were accepted more than once. */
  readonly doubles: number
}

/** Sends every OTP 50 times at once, each time with another nonce. */
async function race(contestant: Contestant, otps: number): Promise<Race> {
  const pool = poolOf(contestant, replays)
  const { tokens, name } = contestant
  let accepted = 0
  let doubles = 0
  try {
    for (let at = 0; at < otps; at++) {
      const otp = tokens[at % tokens.length]?.press() ?? ''
      const paths = Array.from({ length: replays }, () => [requestFor(contestant, otp)])
      const times = await verifyAll(pool, paths)
      accepted += times
      if (times > 1) doubles++
    }
  } finally {
    await pool.close()
  }
  return { name, otps, requests: otps * replays, accepted, doubles }
}

function raceText({ name, otps, requests: shown, accepted, doubles }: Race): string {
  return `${name}: ${otps} OTPs, each shown ${replays} times at once (${shown} requests): accepted ${accepted} times, ${doubles} OTPs more than once.`
}

function text(rates: readonly (Result<Sample> & { readonly connections: number })[]): string {
  return table([
    ['server', 'connections', 'verifications/s', 'to the first', 'CPU µs', 'fresh refused %'],
    ...rates.map(({ name, connections, rate, ratio, cpu, refused }) => [
      name,
      String(connections),
      rate.toFixed(0),
      (1 / ratio).toFixed(2),
      cpu.toFixed(0),
      refused.toFixed(1),
    ]),
  ])
}
