import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { strongroomProcess } from '../support/console-kit.ts'
import {
  type DirectDaemon,
  hasTwoUsers,
  insideUser,
  numberOf,
  startDirectly,
  workersUser,
} from '../support/two-users.ts'

/**
 * The attacker runs code in a worker with only the rights that the kernel gives that process, on a machine without
 * systemd: what it can read, trace, signal and connect to.
 */

const root = resolve(import.meta.dirname, '../..')

/** Names and values in `/proc/PID/status`. */
function statusOf(pid: number): Record<string, string> {
  const lines = readFileSync(`/proc/${pid}/status`, 'utf8').trim().split('\n')
  return Object.fromEntries(lines.map((line) => [line.split(':')[0] ?? '', (line.split(':')[1] ?? '').trim()]))
}

/** Whether the process runs. A zombie, for which its parent has not waited yet, does not. */
const isAlive = (pid: number) => existsSync(`/proc/${pid}/status`) && !statusOf(pid)['State']?.startsWith('Z')

/** Each attempt is `done` or names its error. PTRACE_ATTACH is 16, PTRACE_DETACH 17 (ptrace(2)). */
const attacker = `
import ctypes, json, os, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
def reading(path): open(path, 'rb').read(1)
def opening(path): open(path, 'rb')
def listing(path): os.listdir(path)
def connecting(path): socket.socket(socket.AF_UNIX).connect(path)
def removing(path): os.unlink(path)
def signalling(pid): os.kill(int(pid), 0)
def tracing(pid):
    if libc.ptrace(16, int(pid), None, None) != 0: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    os.waitpid(int(pid), 0)
    libc.ptrace(17, int(pid), None, None)
outcomes = {}
for what, how, target in json.loads(sys.argv[1]):
    try:
        globals()[how](target)
        outcomes[what] = 'done'
    except OSError as error:
        outcomes[what] = os.strerror(error.errno)
print(json.dumps(outcomes))`

type Attempt = readonly [what: string, how: string, target: string]

/** Runs the attempts with the user, the groups and the capabilities of the worker. */
function asWorker({ workerPid }: DirectDaemon, attempts: readonly Attempt[]): Record<string, string> {
  const { Uid = '', Gid = '', Groups = '' } = statusOf(workerPid)
  const [uid = '', gid = ''] = [Uid, Gid].map((ids) => ids.split('\t')[1])
  const groups = Groups.trim() === '' ? ['--clear-groups'] : ['--groups', Groups.trim().replaceAll(' ', ',')]
  const rights = ['--reuid', uid, '--regid', gid, ...groups, '--no-new-privs', '--inh-caps=-all', '--bounding-set=-all']
  const command = [...rights, '/usr/bin/python3', '-c', attacker, JSON.stringify(attempts)]
  return JSON.parse(execFileSync('setpriv', command, { encoding: 'utf8' }))
}

const attemptsOn = ({ token, sockets, pidOf }: DirectDaemon): Attempt[] => {
  const [keeper, host] = [pidOf('strongroom-keeper.js'), pidOf('strongroom-tokend.js')]
  const state = join(token.directory, 'keeper.sqlite')
  return [
    ['read the PIN', 'reading', token.pinFile],
    ['list the objects of the token', 'listing', token.tokenDirectory],
    ['read the file of the keeper', 'reading', state],
    ['read its floors', 'reading', state.replace('keeper', 'floors')],
    ['read the memory of the keeper', 'opening', `/proc/${keeper}/mem`],
    ['read the environment of a host', 'reading', `/proc/${host}/environ`],
    ['trace the keeper', 'tracing', String(keeper)],
    ['trace a host', 'tracing', String(host)],
    ['end the keeper', 'signalling', String(keeper)],
    ['speak as the operator', 'connecting', sockets.operator],
    ['take the place of a host', 'removing', sockets.host],
  ]
}

const answering = async ({ sockets }: DirectDaemon) => {
  for (let tries = 0; tries < 200 && !Object.values(sockets).every(existsSync); tries++) await pause(100)
}

describe.skipIf(!hasTwoUsers)('code in a worker of a daemon that root started (needs root and two users)', () => {
  let daemon: DirectDaemon
  beforeAll(async () => {
    daemon = await startDirectly({ separate: true })
    await answering(daemon)
  })
  afterAll(() => daemon.stop())

  it('reads neither PIN nor token nor files of the keeper, traces and ends none that holds keys', () => {
    const outcomes = asWorker(daemon, attemptsOn(daemon))
    expect(Object.entries(outcomes).filter(([, outcome]) => !/denied|not permitted/.test(outcome))).toEqual([])
  })

  it('reaches what it is to ask: token hosts and keeper', () => {
    const { host, keeper } = daemon.sockets
    expect(
      asWorker(daemon, [
        ['host', 'connecting', host],
        ['keeper', 'connecting', keeper],
      ]),
    ).toEqual({ host: 'done', keeper: 'done' })
    for (const socket of [host, keeper])
      expect(statSync(socket)).toMatchObject({ uid: numberOf(insideUser), gid: numberOf(workersUser, '-g') })
    expect(statSync(daemon.sockets.operator).mode & 0o777).toBe(0o600)
  })

  it('has no capability and no way to one, and neither have the processes inside', () => {
    for (const [pid, user] of [
      [daemon.workerPid, workersUser],
      [daemon.pidOf('--part workers'), workersUser],
      [daemon.pidOf('--part inside'), insideUser],
      [daemon.pidOf('strongroom-keeper.js'), insideUser],
      [daemon.pidOf('strongroom-tokend.js'), insideUser],
    ] as const) {
      const { Uid, NoNewPrivs, CapEff, CapPrm, CapInh, CapBnd, CapAmb } = statusOf(pid)
      const uid = numberOf(user)
      expect(Uid).toBe([uid, uid, uid, uid].join('\t'))
      expect(NoNewPrivs).toBe('1')
      expect([CapEff, CapPrm, CapInh, CapBnd, CapAmb].map((set) => Number.parseInt(set ?? '', 16))).toEqual([
        0, 0, 0, 0, 0,
      ])
    }
    // In the workers' group, for its sockets, and in no other group that it did not have.
    expect(statusOf(daemon.workerPid)['Groups']).toBe(String(numberOf(workersUser, '-g')))
  })

  it('has the daemon do its work, and doctor content', () => {
    const credentials = join(daemon.directory, 'credentials.json')
    const strongroom = [process.execPath, join(root, 'dist/bin/strongroom.js'), '--config', daemon.configFile]
    execFileSync(process.execPath, [join(root, 'scripts/first-credentials.mjs'), credentials, ...strongroom])
    const job = [
      join(root, 'scripts/main-job.mjs'),
      '--url',
      daemon.url,
      '--ca',
      daemon.ca,
      '--credentials',
      credentials,
    ]
    expect(execFileSync(process.execPath, job, { encoding: 'utf8' })).toContain(
      'version 2: "Hello from the strongroom."',
    )
    expect(separationOf(daemon)).toMatchObject([{ state: 'ok' }])
    expect(daemon.journal.join('')).not.toContain('can read the PIN')
  })

  it('is ended with all others by the process of root', async () => {
    const pids = [daemon.workerPid, ...['--part workers', '--part inside', 'strongroom-keeper.js'].map(daemon.pidOf)]
    expect(await daemon.stop()).toBe(0)
    await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), 60_000)
  })
})

/** A port below 1024 that no process listens on. */
async function freeLowPort(): Promise<number> {
  for (let port = 1023; port > 512; port -= 1) {
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => resolve(true))
    })
    server.close()
    if (isFree) return port
  }
  throw new Error('all ports below 1024 are in use')
}

it.skipIf(!hasTwoUsers)(
  'a port of smartcards below 1024 is listened on; where the process that watches keeper and hosts ends, all end (needs root and two users)',
  async () => {
    const daemon = await startDirectly({ separate: true, smartcardPort: await freeLowPort() })
    try {
      await answering(daemon)
      // The only capability of a worker, for a port below 1024: CAP_NET_BIND_SERVICE (capabilities(7)).
      expect(Number.parseInt(statusOf(daemon.workerPid)['CapEff'] ?? '', 16)).toBe(1 << 10)
      const pids = [daemon.workerPid, daemon.pidOf('--part workers'), daemon.pidOf('strongroom-keeper.js')]
      const ended = once(daemon.process, 'exit')
      process.kill(daemon.pidOf('--part inside'), 'SIGKILL')
      expect(await ended).toEqual([1, null])
      expect(pids.filter(isAlive)).toEqual([])
    } finally {
      await daemon.stop()
    }
  },
)

describe.skipIf(!hasTwoUsers)('code in a worker of a daemon of one user (needs root and two users)', () => {
  it('reads the PIN, which the journal says once, and doctor calls a problem', async () => {
    const daemon = await startDirectly({ separate: false })
    try {
      await answering(daemon)
      expect(new Set(Object.values(asWorker(daemon, attemptsOn(daemon))))).toEqual(new Set(['done']))
      expect(daemon.journal.join('').match(/can read the PIN/g)).toHaveLength(1)
      expect(separationOf(daemon)).toMatchObject([
        { state: 'problem', detail: expect.stringContaining('can read the PIN') },
      ])
    } finally {
      await daemon.stop()
    }
  })
})

function separationOf({ configFile }: DirectDaemon): object[] {
  const { findings } = JSON.parse(strongroomProcess(configFile, ['--json', 'doctor']).stdout)
  return findings.filter(({ subject }: { subject: string }) => subject === 'separation')
}
