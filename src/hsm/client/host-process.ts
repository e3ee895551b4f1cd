import { type ChildProcess, spawn } from 'node:child_process'

export interface HostProcess {
  readonly pid: number | undefined
  isRunning(): boolean
  /** Resolves with what ended it, for the journal. */
  readonly ended: Promise<string>
  kill(signal: 'SIGTERM' | 'SIGKILL'): void
}

// No core dump may hold keys and PIN. The allocator settings spare two thirds of a 1 MiB encryption, which glibc spends on giving
// pages back. The death signal ends even a host that hangs in its module, where closing the IPC channel does not.
const launch = [
  'ulimit -c 0',
  'export MALLOC_TRIM_THRESHOLD_=268435456 MALLOC_MMAP_THRESHOLD_=67108864 MALLOC_TOP_PAD_=16777216',
  'exec setpriv --pdeathsig KILL "$@"',
].join('\n')

/** Starts a token host that ends with this process. */
export function spawnHost(entry: string, configFile: string, socket: string): HostProcess {
  const command = [process.execPath, entry, '--config', configFile, '--socket', socket, '--parent']
  const child: ChildProcess = spawn('/bin/sh', ['-c', launch, 'sh', ...command], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  let isRunning = true
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(signal ?? `exit status ${code}`))
  }).then((how) => {
    isRunning = false
    return how
  })
  return { pid: child.pid, isRunning: () => isRunning, ended, kill: (signal) => child.kill(signal) }
}
