import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { RequestRouter } from '../../../src/hsm/client/request-router.ts'
import { createFrameReader, createFrameWriter, outcomes } from '../../../src/hsm/protocol/frame.ts'

let directory: string
const operations = ['encrypt', 'destroyObject'] as const

let router: RequestRouter<(typeof operations)[number]>
const hosts: { readonly server: Server; taken: number }[] = []
/** For how long the process stands still after an answer of a host. */
let standstillMs = 0

const sockets = (): string[] => ['one', 'two'].map((name) => join(directory, `${name}.sock`))
const newRouter = (deadlineMs = 20_000): typeof router =>
  new RequestRouter({ operations, peer: 'token host', sockets: sockets(), deadlineMs, queue: 100 })

/** Two hosts that answer every request after `delayMs`, and a router over both. */
async function given({ delayMs }: { delayMs: number }): Promise<void> {
  for (const path of sockets()) {
    const server = createServer((connection) => {
      const { write } = createFrameWriter(connection)
      const receive = createFrameReader(({ id }) => {
        host.taken += 1
        const answer = () => write(id, outcomes.done, [])
        if (delayMs === 0) answer()
        else setTimeout(answer, delayMs)
        work(standstillMs)
      })
      connection.on('data', receive)
      connection.on('error', () => undefined)
    })
    const host = { server, taken: 0 }
    hosts.push(host)
    await once(server.listen(path), 'listening')
  }
  router = newRouter()
  await Promise.all(sockets().map((socket) => router.callHost(socket, 'encrypt')))
  for (const host of hosts) host.taken = 0
}

const call = (): Promise<unknown> => router.call('encrypt', [Buffer.alloc(64)])
const burst = (): Promise<unknown>[] => Array.from({ length: 10 }, call)
const taken = (): number[] => hosts.map((host) => host.taken)

/** This process's own work, for some milliseconds. */
function work(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

beforeEach(() => {
  standstillMs = 0
  directory = mkdtempSync(join(tmpdir(), 'strongroom-router-'))
})

afterEach(() => {
  router.close()
  for (const { server } of hosts.splice(0)) server.close()
  vi.restoreAllMocks()
})

describe('the requests of one process', () => {
  it('go to one host while it is quick, however long the process itself works between them', async () => {
    await given({ delayMs: 0 })
    const first = burst()
    work(30)
    await Promise.all([...first, ...burst()])
    expect(taken()).toEqual([20, 0])
    work(30)
    await Promise.all(burst())
    expect(taken()).toEqual([30, 0])
  })

  it('that change the token go to the other host, out of the way of the rest', async () => {
    await given({ delayMs: 0 })
    await Promise.all([...burst(), router.call('destroyObject', [Buffer.alloc(64)]), ...burst()])
    expect(taken()).toEqual([20, 1])
  })

  it('are shared among the hosts where these let them wait', async () => {
    await given({ delayMs: 50 })
    await Promise.all(burst())
    expect(taken()).toEqual([5, 5])
  })

  it('are not given up where the answer has come, and the process stood still before it read it', async () => {
    await given({ delayMs: 0 })
    router.close()
    router = newRouter(300)
    standstillMs = 1_000
    await call()
    expect(taken()).toEqual([1, 0])
  })

  it('wait for the first attempt to connect, however long the process stood still before it', async () => {
    await given({ delayMs: 0 })
    router.close()
    router = newRouter()
    const now = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => now() + 10_000)
    await call()
    expect(taken()).toEqual([1, 0])
  })
})
