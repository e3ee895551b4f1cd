import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { TLSSocket } from 'node:tls'
import { errorMessageOf } from '../../fault.ts'
import type { Config } from '../../config/schema.ts'
import { findingsOf, type Check, type Finding } from './findings.ts'
import { certificateIn } from './server-certificate.ts'

const topic = 'daemon'
const { ok, warning, problem } = findingsOf(topic)
const timeoutMs = 5_000
/** A path that needs no session. */
const path = '/api/1.0/authinfo/logintypes'

/** Checks that the API answers over TLS with the configured certificate. */
export const daemonCheck: Check = {
  topic,
  async run(config) {
    if (config.http.port === 0)
      return [warning('http.port is 0, so clients cannot know where it listens', 'Set http.port.')]
    const address = `${hostOf(config)}:${config.http.port}`
    try {
      const reply = await ask(config)
      return [findingOf(reply, config, address)]
    } catch (error) {
      return [
        problem(
          `nothing answers at ${address} (${errorMessageOf(error)})`,
          'Start it: systemctl start strongroom, or strongroomd --config FILE.',
        ),
      ]
    }
  },
}

interface Reply {
  readonly status: number
  readonly fingerprint: string
  readonly protocol: string
}

function findingOf({ status, fingerprint, protocol }: Reply, { tls }: Config, address: string): Finding {
  if (fingerprint !== certificateIn(readFileSync(tls.certificate))?.fingerprint256)
    return warning(
      `at ${address} another certificate is served than tls.certificate`,
      'Reload the daemon (SIGHUP), restart it where tls.key is another, or see which program listens there.',
    )
  if (status !== 200) return problem(`it answers ${status} at ${address}`, 'See its journal.')
  return ok(`answers at ${address} over ${protocol}`)
}

function hostOf({ http }: Config): string {
  if (http.host === '0.0.0.0') return '127.0.0.1'
  return http.host === '::' ? '::1' : http.host
}

function ask(config: Config): Promise<Reply> {
  return new Promise((resolve, reject) => {
    // Not verified here: another check tells whether clients accept the certificate. This one compares it with the
    // file.
    const options = {
      host: hostOf(config),
      port: config.http.port,
      path,
      timeout: timeoutMs,
      rejectUnauthorized: false,
      agent: false,
    }
    const call = request(options, (response) => {
      const { socket } = response
      response.resume()
      if (!(socket instanceof TLSSocket)) return reject(new Error('no TLS'))
      resolve({
        status: response.statusCode ?? 0,
        fingerprint: socket.getPeerX509Certificate()?.fingerprint256 ?? '',
        protocol: socket.getProtocol() ?? 'an unknown protocol',
      })
    })
    call.on('timeout', () => call.destroy(new Error(`no answer within ${timeoutMs} ms`)))
    call.on('error', reject)
    call.end()
  })
}
