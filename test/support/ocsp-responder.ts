import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from './appliance.ts'
import type { Card, ClientCa } from './client-pki.ts'

/** `openssl ocsp` as the responder of a CA. It knows what the CA had issued and revoked when it started. */
export class OcspResponder {
  readonly url: string
  readonly #process: ChildProcess

  private constructor(port: number, process: ChildProcess) {
    this.url = `http://127.0.0.1:${port}/`
    this.#process = process
  }

  /** `signer`: the certificate that signs the answers. Default: that of the CA. */
  static async start(
    ca: ClientCa,
    signer: Card = ca,
    more: readonly string[] = [],
    port?: number,
  ): Promise<OcspResponder> {
    port ??= await freePort()
    const files = ['-index', join(ca.directory, 'index.txt'), '-CA', ca.certificate]
    const keys = ['-rsigner', signer.certificate, '-rkey', signer.key]
    const process = spawn('openssl', ['ocsp', '-port', String(port), ...files, ...keys, ...more], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    // Its ready message appears on either stream, depending on its release.
    await Promise.race([once(process.stdout, 'data'), once(process.stderr, 'data'), once(process, 'exit')])
    return new OcspResponder(port, process)
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    this.#process.kill()
    await once(this.#process, 'exit')
  }
}
