// node scripts/watch-daemon.mjs CONFIG: starts the daemon. At every change of the source, builds the programs, and
// restarts the daemon if the build succeeds. Does not check types (`npm run types` does). SIGINT and SIGTERM end both.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const [config] = process.argv.slice(2)
/** Changes within this time count as one, for editors that save several files. */
const quietMs = 200
let daemon
let isEnding = false
let waiting
// A restart waits for the previous one.
let restarting = start()

watch(`${root}src`, { recursive: true }, (_event, name) => {
  // Only `npm run build` builds the web console.
  if (name?.startsWith('web/')) return
  clearTimeout(waiting)
  waiting = setTimeout(() => (restarting = restarting.then(restart)), quietMs)
})
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void end())

async function restart() {
  if (isEnding) return
  // Children have process groups of their own, so that Ctrl-C reaches only this process, which ends them in order.
  const build = spawn(process.execPath, ['scripts/build-program.mjs'], { cwd: root, stdio: 'inherit', detached: true })
  const [code] = await once(build, 'exit')
  if (code !== 0) return
  await stop()
  await start()
}

async function start() {
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

async function end() {
  if (isEnding) return
  isEnding = true
  await restarting
  await stop()
  process.exit(0)
}
