import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { endingOf } from '../../ended-process.ts'
import { isFault } from '../../fault.ts'
import type { Log } from '../../log.ts'
import { watchForStop } from '../../stopped-process.ts'
import type { HostStatus } from '../token-status.ts'
import type { FrameProcess } from '../protocol/frame.ts'
import { keyMakerPatience } from '../protocol/key-maker-patience.ts'
import { parseHostStatus } from './host-status.ts'
import { RequestRouter } from './request-router.ts'

export interface SupervisorOptions {
  /** Configuration file of the appliance, which is passed to the hosts. */
  readonly configFile: string
  /** Unix sockets, one host each (`hsm.sockets`). */
  readonly sockets: readonly string[]
  /** Sockets of the keeper (`hsm.keeper`), which is started before the hosts. Undefined for no keeper. */
  readonly keeper?: { readonly socket: string; readonly operatorSocket: string }
  /** Unix socket of the host that makes RSA keys (`hsm.keyMakerSocket`), started after the others. */
  readonly keyMakerSocket?: string
  /** A process without a heartbeat for this long is killed (`hsm.deadlineMs`). The key maker has more time. */
  readonly deadlineMs: number
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  /** Group id of workers that run under another user. The group may then use the sockets. */
  readonly socketGroup?: number | undefined
  /** The folder `bin` of the compiled program. Default: the one of this build. */
  readonly programs?: string
}

export interface TokenSupervisor {
  /**
   * Starts keeper and hosts one after another, because processes that open the token at the same time may miss it.
   * Resolves to the status of each, the keeper first.
   */
  start(): Promise<HostStatus[]>
  /** Ends all processes, with SIGTERM and after five seconds with SIGKILL. */
  close(): Promise<void>
}

const heartbeatIntervalMs = 1_000
const pollIntervalMs = 50
const firstPauseMs = 100
const longestPauseMs = 5_000
const graceMs = 5_000
const leastStopMs = 2_000

/** Starts keeper and token hosts, and restarts each that ends, until `close`. It handles neither PIN nor keys. */
export function createTokenSupervisor(options: SupervisorOptions): TokenSupervisor {
  const { configFile, keeper, sockets, keyMakerSocket, socketGroup, deadlineMs } = options
  const args = ['--config', configFile, ...(socketGroup === undefined ? [] : ['--socket-group', String(socketGroup)])]
  const hostAt = (socket: string): Program => ({
    name: 'token host',
    socket,
    entry: 'strongroom-tokend.js',
    args: [...args, '--socket', socket],
    deadlineMs,
  })
  const programs: Program[] = [
    ...(keeper === undefined
      ? []
      : [{ name: 'keeper' as const, ...keeper, entry: 'strongroom-keeper.js', args, deadlineMs }]),
    ...sockets.map(hostAt),
    ...(keyMakerSocket === undefined ? [] : [{ ...hostAt(keyMakerSocket), deadlineMs: deadlineMs * keyMakerPatience }]),
  ]
  const running: SupervisedProgram[] = []
  let isClosing = false
  return {
    async start() {
      const statuses: HostStatus[] = []
      for (const program of programs) {
        if (isClosing) break
        const supervised = new SupervisedProgram(program, options)
        running.push(supervised)
        statuses.push(await supervised.start())
      }
      return statuses
    },
    async close() {
      isClosing = true
      await Promise.all(running.map((supervised) => supervised.close()))
    },
  }
}

interface Program {
  /** Its name in the journal. */
  readonly name: FrameProcess
  readonly socket: string
  readonly operatorSocket?: string
  /** Its file in `programs`. */
  readonly entry: string
  readonly args: readonly string[]
  readonly deadlineMs: number
}

/** A host or the keeper: started, watched, killed when it hangs, and restarted. */
class SupervisedProgram {
  readonly #program: Program
  readonly #socket: string
  readonly #options: SupervisorOptions
  readonly #router: RequestRouter<'ping'>
  #process: RunningProgram | undefined
  #status: HostStatus
  #isClosing = false
  #running: Promise<void> | undefined
  readonly #stopped = new AbortController()

  constructor(program: Program, options: SupervisorOptions) {
    const { name, socket, deadlineMs } = program
    this.#program = program
    this.#socket = socket
    this.#options = options
    this.#router = new RequestRouter({
      operations: ['ping'],
      peer: name,
      sockets: [socket],
      deadlineMs,
      queue: 16,
    })
    this.#status = { socket, state: 'down' }
  }

  /** Resolves to the status of the first answer, or to `down` when the process ended or did not answer in time. */
  async start(): Promise<HostStatus> {
    const child = this.#spawn()
    await this.#firstAnswer(child)
    this.#running = this.#keep(child)
    return this.#status
  }

  async close(): Promise<void> {
    this.#isClosing = true
    this.#stopped.abort()
    const child = this.#process
    child?.kill('SIGTERM')
    const killing = setTimeout(() => child?.kill('SIGKILL'), graceMs)
    await child?.ended
    clearTimeout(killing)
    await this.#running
    this.#router.close()
  }

  #spawn(): RunningProgram {
    const { name, entry, args } = this.#program
    const programs = this.#options.programs ?? fileURLToPath(new URL('../../bin/', import.meta.url))
    const child = spawnProgram(join(programs, entry), args)
    this.#process = child
    this.#status = { socket: this.#socket, state: 'down', reason: `The ${name} has not answered yet.` }
    this.#options.log.info({ socket: this.#socket, child: child.pid }, `${name} started`)
    const end = watchForStop(child.pid, this.#stopMs(), () => this.#giveUp(child, 'it is stopped'))
    void child.ended.then(end)
    return child
  }

  async #keep(first: RunningProgram): Promise<void> {
    let pauseMs = 0
    for (let child = first; ; child = this.#spawn()) {
      const startedMs = performance.now()
      await this.#watch(child)
      const how = await child.ended
      if (this.#isClosing) return
      this.#options.log.error({ socket: this.#socket, child: child.pid, how }, `${this.#program.name} ended`)
      if (performance.now() - startedMs > longestPauseMs) pauseMs = 0
      await this.#pause(pauseMs)
      if (this.#isClosing) return
      // The first restart is immediate.
      pauseMs = Math.min(Math.max(pauseMs * 2, firstPauseMs), longestPauseMs)
    }
  }

  async #firstAnswer(child: RunningProgram): Promise<void> {
    // Opening a token takes longer than any operation: SoftHSM2 reads every object first.
    const endMs = performance.now() + 3 * this.#program.deadlineMs
    while (child.isRunning() && !this.#isClosing && performance.now() < endMs) {
      if (await this.#ping()) return
      await this.#pause(pollIntervalMs)
    }
    this.#status = {
      socket: this.#socket,
      state: 'down',
      reason: `The ${this.#program.name} ended or did not answer; see its messages.`,
    }
    child.kill('SIGKILL')
  }

  async #watch(child: RunningProgram): Promise<void> {
    if (this.#status.state === 'down') await this.#firstAnswer(child)
    let answeredMs = performance.now()
    while (child.isRunning() && !this.#isClosing) {
      await this.#pause(heartbeatIntervalMs)
      // A process that is told to end removes its socket.
      if (!this.#stopped.signal.aborted && isRemoved(this.#program))
        return this.#giveUp(child, 'its socket was removed')
      if (await this.#ping()) answeredMs = performance.now()
      else if (child.isRunning() && performance.now() - answeredMs >= this.#program.deadlineMs) {
        this.#giveUp(child, 'its heartbeat stayed away')
        return
      }
    }
  }

  /** How long the process may be suspended (SIGSTOP). Less than the deadline, which includes the time of the token. */
  #stopMs(): number {
    return Math.max(leastStopMs, this.#options.deadlineMs / 5)
  }

  #giveUp(child: RunningProgram, why: string): void {
    this.#options.log.error({ socket: this.#socket, child: child.pid }, `${this.#program.name} killed: ${why}`)
    child.kill('SIGKILL')
  }

  async #ping(): Promise<boolean> {
    try {
      this.#status = parseHostStatus(
        this.#program.name,
        this.#socket,
        await this.#router.callHost(this.#socket, 'ping'),
      )
      return true
    } catch (error) {
      if (isFault(error, 'hsm.unavailable')) return false
      throw error
    }
  }

  async #pause(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#stopped.signal }).catch(() => undefined)
  }
}

/**
 * Whether the file of a socket is gone and its folder is there: no client can connect, and another process can make the
 * file anew. Without the folder no process could, and open connections go on.
 */
const isRemoved = ({ socket, operatorSocket = socket }: Program): boolean =>
  [socket, operatorSocket].some((file) => !existsSync(file) && existsSync(dirname(file)))

interface RunningProgram {
  readonly pid: number | undefined
  isRunning(): boolean
  /** Resolves to how it ended, for the journal. */
  readonly ended: Promise<string>
  kill(signal: 'SIGTERM' | 'SIGKILL'): boolean
}

// No core dump may contain keys or the PIN: a limit of one byte allows no file, and makes the kernel start no handler.
// The allocator settings save two thirds of the time of a 1 MiB encryption, which glibc spends on returning pages, and
// an eighth of one of 64 bytes, for which SoftHSM2 allocates more small blocks than glibc caches by default. The death
// signal ends even a host that hangs in its module, which the end of the IPC channel does not.
const launch = [
  'prlimit --pid=$$ --core=1 2>/dev/null || ulimit -c 0',
  'export MALLOC_TRIM_THRESHOLD_=268435456 MALLOC_MMAP_THRESHOLD_=67108864 MALLOC_TOP_PAD_=16777216',
  'export GLIBC_TUNABLES=glibc.malloc.tcache_count=127',
  'exec setpriv --pdeathsig KILL "$@"',
].join('\n')

/**
 * By default V8 collects the whole heap whenever old objects, and the file buffers that they hold, have grown by half
 * of the small heap of these programs: every 8 MiB of a file. With 128 MiB allowed from the start it hardly ever does.
 */
const firstHeapLimit = '--initial-heap-size=128'

/** Starts a program that ends with this process. */
function spawnProgram(entry: string, args: readonly string[]): RunningProgram {
  const command = [process.execPath, firstHeapLimit, entry, ...args, '--parent']
  try {
    return running(
      spawn('/bin/sh', ['-c', launch, 'sh', ...command], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }),
    )
  } catch (error) {
    // There is no memory for a process (ENOMEM): it has ended already, and the next one is tried.
    return { pid: undefined, isRunning: () => false, ended: Promise.resolve(String(error)), kill: () => false }
  }
}

function running(child: ChildProcess): RunningProgram {
  let isRunning = true
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(endingOf(child, code, signal)))
  }).then((how) => {
    isRunning = false
    return how
  })
  return { pid: child.pid, isRunning: () => isRunning, ended, kill: (signal) => child.kill(signal) }
}
