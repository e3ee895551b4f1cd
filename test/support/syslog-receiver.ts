import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pki } from './pki.ts'

/** rsyslogd, which accepts messages over TLS from clients with a certificate of the CA. */
export class SyslogReceiver {
  readonly port: number
  readonly file: string
  readonly #configuration: string
  readonly #folder: string
  #process: ChildProcess | undefined

  constructor(folder: string, { ca, certificate, key }: Pki, port: number) {
    mkdirSync(folder, { recursive: true })
    this.port = port
    this.file = join(folder, 'received.log')
    this.#folder = folder
    this.#configuration = join(folder, 'rsyslog.conf')
    writeFileSync(
      this.#configuration,
      `global(workDirectory="${folder}" defaultNetstreamDriver="ossl" defaultNetstreamDriverCAFile="${ca}"
       defaultNetstreamDriverCertFile="${certificate}" defaultNetstreamDriverKeyFile="${key}")
module(load="imtcp" streamDriver.name="ossl" streamDriver.mode="1" streamDriver.authMode="x509/certvalid")
input(type="imtcp" address="127.0.0.1" port="${port}")
action(type="omfile" file="${this.file}" template="RSYSLOG_SyslogProtocol23Format")
`,
    )
  }

  async start(): Promise<void> {
    const flags = ['-n', '-f', this.#configuration, '-i', join(this.#folder, 'rsyslog.pid')]
    const started = spawn('setpriv', ['--pdeathsig', 'TERM', 'rsyslogd', ...flags], { stdio: 'ignore' })
    this.#process = started
    while (!(await answers(this.port))) {
      if (started.exitCode !== null) throw new Error(`rsyslogd ended with ${started.exitCode}`)
      await sleep(50)
    }
  }

  get received(): string[] {
    return existsSync(this.file) ? readFileSync(this.file, 'utf8').split('\n').filter(Boolean) : []
  }

  async stop(): Promise<void> {
    const ending = this.#process
    this.#process = undefined
    if (ending === undefined || ending.exitCode !== null) return
    ending.kill()
    await once(ending, 'exit')
  }
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
