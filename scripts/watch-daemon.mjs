// node scripts/watch-daemon.mjs CONFIG: looks at the types of the source at every change, and where they are right, builds the
// programs and starts the daemon again. SIGINT and SIGTERM end both.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createInterface } from 'node:readline'

const root = fileURLToPath(new URL('..', import.meta.url))
const [config] = process.argv.slice(2)
let daemon
let isEnding = false
// A change during a restart waits for it.
let restarting = Promise.resolve()

const compiler = spawn(
  process.execPath,
  ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.programs.json', '--watch', '--preserveWatchOutput'],
  // Groups of their own: Ctrl-C reaches this process alone, which ends them in order.
  { cwd: root, stdio: ['ignore', 'pipe', 'inherit'], detached: true },
)
createInterface({ input: compiler.stdout }).on('line', (line) => {
  if (line.includes('Found 0 errors')) restarting = restarting.then(restart)
  else if (/: error TS|Found \d+ error/.test(line)) console.log(line)
})
compiler.once('exit', (code) => {
  if (!isEnding) void end(code ?? 1)
})
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void end(0))

async function restart() {
  const build = spawn(process.execPath, ['scripts/build-program.mjs'], { cwd: root, stdio: 'inherit', detached: true })
  const [code] = await once(build, 'exit')
  if (code !== 0) return
  await stop()
  if (isEnding) return
  daemon = spawn(process.execPath, ['dist/bin/strongroomd.js', '--config', config], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  })
}

async function stop() {
  if (daemon === undefined || daemon.exitCode !== null || daemon.signalCode !== null) return
  const exited = once(daemon, 'exit')
  daemon.kill('SIGTERM')
  await exited
}

async function end(code) {
  if (isEnding) return
  isEnding = true
  // The whole group: the compiler is a program that node starts.
  if (compiler.exitCode === null && compiler.signalCode === null) process.kill(-compiler.pid, 'SIGTERM')
  await restarting
  await stop()
  process.exit(code)
}
