import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { endDaemon, freePort, startDaemon, TestAppliance, type Overrides } from './appliance.ts'
import { TestClient } from './client.ts'
import { eventually } from './fault-kit.ts'
import { configureBeside } from './machine-beside.ts'
import { startPostgres } from './postgres.ts'

/** Debian's HAProxy. Tests that need it are skipped by name where it is missing. */
const balancerProgram = '/usr/sbin/haproxy'
const shippedSettings = resolve(import.meta.dirname, '../../config/haproxy.cfg')
export const hasBalancer = existsSync(balancerProgram)

/** One of several machines: a daemon with its own keeper, trail and sockets, over the common database and token. */
export interface Machine {
  readonly name: string
  readonly configFile: string
  readonly trail: string
  readonly port: number
  readonly monitorPort: number
  /** A client of this machine, without the balancer. */
  client(token?: string): TestClient
  start(): Promise<void>
  /** Ends the daemon; `SIGKILL` ends all its processes, like a power failure. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

export interface Machines {
  /** The first machine, with the test's own access to database and token. */
  readonly appliance: TestAppliance
  readonly all: readonly Machine[]
  /** A client of the balancer, which chooses a machine for each connection. */
  client(token?: string): TestClient
  /** Waits until the balancer sends calls to this machine. */
  ready(machine: Machine): Promise<void>
  close(): Promise<void>
}

/** Starts `count` machines over one PostgreSQL database and one token, like a network HSM, behind one balancer. */
export async function startMachines(count: number, overrides: Overrides = {}): Promise<Machines> {
  const database = startPostgres()
  const clients: TestClient[] = []
  const settings = async (name: string): Promise<Overrides> => ({
    ...overrides,
    http: { shutdownDelayMs: 2_000, ...overrides.http },
    store: { postgresUrlFile: database.urlFile },
    audit: { ...overrides.audit, machine: name },
    monitor: { enabled: true, port: await freePort() },
  })
  const appliance = await TestAppliance.own(await settings('machine1'))
  const connected = (url: string, token?: string): TestClient => {
    const client = new TestClient(url, appliance.ca, token)
    clients.push(client)
    return client
  }
  const all = [firstOf(appliance, connected)]
  for (let number = 2; number <= count; number++) all.push(await anotherOf(appliance, `machine${number}`, connected))
  const balancer = await startBalancer(appliance.directory, all)
  return {
    appliance,
    all,
    client: (token) => connected(`https://127.0.0.1:${balancer.port}/api/1.0`, token),
    ready: ({ name }) => eventually(() => balancer.sendsTo(name)),
    async close() {
      for (const client of clients) client.close()
      balancer.process.kill('SIGKILL')
      for (const machine of all.slice(1)) await machine.stop()
      await appliance.close()
      database.cleanup()
    },
  }
}

type Connect = (url: string, token?: string) => TestClient

function firstOf(appliance: TestAppliance, connected: Connect): Machine {
  const { config, configFile, url } = appliance
  return {
    name: 'machine1',
    configFile,
    trail: config.audit.directory,
    port: config.http.port,
    monitorPort: config.monitor.port,
    client: (token) => connected(url, token),
    start: () => appliance.restart(),
    async stop(signal) {
      await appliance.stop(signal)
    },
  }
}

async function anotherOf(first: TestAppliance, name: string, connected: Connect): Promise<Machine> {
  const { configFile, config, url } = await configureBeside(first, name, name)
  let daemon: ChildProcess = await startDaemon(configFile, [])
  return {
    name,
    configFile,
    trail: config.audit.directory,
    port: config.http.port,
    monitorPort: config.monitor.port,
    client: (token) => connected(url, token),
    async start() {
      daemon = await startDaemon(configFile, [])
    },
    async stop(signal = 'SIGTERM') {
      await endDaemon(daemon, signal)
    },
  }
}

interface Balancer {
  readonly port: number
  readonly process: ChildProcess
  /** Whether it sends calls to this machine. */
  sendsTo(name: string): Promise<boolean>
}

/** HAProxy, which forwards TCP and asks each machine's monitor whether it is ready. */
async function startBalancer(directory: string, machines: readonly Machine[]): Promise<Balancer> {
  const [port, control] = [await freePort(), join(directory, 'haproxy.sock')]
  const configFile = join(directory, 'haproxy.cfg')
  const servers = machines.map(
    (machine) => `  server ${machine.name} 127.0.0.1:${machine.port} check port ${machine.monitorPort}`,
  )
  const [settings] = readFileSync(shippedSettings, 'utf8').split(/^ {2}server /m)
  const placed = settings?.replace('/run/haproxy/admin.sock', control).replace('bind :443', `bind 127.0.0.1:${port}`)
  writeFileSync(configFile, [placed, ...servers, ''].join('\n'))
  const process = spawn(balancerProgram, ['-db', '-f', configFile], { stdio: 'inherit' })
  const sendsTo = async (name: string): Promise<boolean> =>
    (await statesOf(control)).some((line) => line.startsWith(`strongroom,${name},`) && line.includes(',UP,'))
  for (const { name } of machines) await eventually(() => sendsTo(name))
  return { port, process, sendsTo }
}

/** Statistics of each server as a line of comma-separated values; empty until HAProxy runs. */
async function statesOf(control: string): Promise<string[]> {
  const socket = connect(control).on('error', () => undefined)
  socket.end('show stat\n')
  return (await text(socket).catch(() => '')).split('\n')
}
