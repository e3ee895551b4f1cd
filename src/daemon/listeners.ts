import { readCertificates, readSecret } from '../config/loader.ts'
import type { Config } from '../config/schema.ts'
import type { SmartcardConfig } from '../config/smartcard-section.ts'
import { createServer, type ApplianceServer, type ServerOptions } from '../http/server/server.ts'
import type { Log } from '../log.ts'
import { ExitError, exitReasonOf } from './exit.ts'
import type { Listening } from './worker-process.ts'

export interface Listener {
  /** The section of the configuration with its `host` and `port`, to be named in errors. */
  readonly section: string
  readonly host: string
  readonly server: ApplianceServer
}

type ListenerMaker = (
  section: string,
  address: { readonly host: string; readonly port: number },
  handle: ServerOptions['handle'],
  more?: Pick<ServerOptions, 'readClientCertificates'>,
) => Listener

/** Makes listeners with the certificate and the limits of the interface. */
export function createListeners({ http, tls }: Config, log: Log): ListenerMaker {
  return (section, { host, port }, handle, more) => ({
    section,
    host,
    server: createServer({
      ...more,
      http: { ...http, host, port },
      tls,
      readCertificate: () => serverCertificate(tls),
      handle,
      log,
    }),
  })
}

/** @throws ConfigError */
export const serverCertificate = ({ certificate, key }: Config['tls']) => ({
  certificate: readCertificates(certificate, 'make it, or correct tls.certificate'),
  key: readSecret(key, 'make it, or correct tls.key'),
})

export function clientCertificates({
  clientCa,
  intermediates,
}: SmartcardConfig): Pick<ServerOptions, 'readClientCertificates'> {
  const files = [clientCa, intermediates].filter((path) => path !== undefined)
  return {
    readClientCertificates: () => ({
      authorities: clientCa === undefined ? undefined : files.map((file) => readCertificates(file)).join('\n'),
    }),
  }
}

export interface JoinedListeners extends ApplianceServer {
  listen(): Promise<Listening>
}

/**
 * Treats the listeners of one worker as one: the API first, then the optional ones, which start and stop with it.
 * `listen` resolves to the API's port, and rejects with ExitError that names the section.
 */
export function joinListeners([api, ...others]: readonly [Listener, ...Listener[]]): JoinedListeners {
  const all = [api, ...others].map(({ server }) => server)
  return {
    async listen() {
      const { port } = await listen(api)
      const listeners = [{ name: api.section, host: api.host, port }]
      for (const other of others)
        listeners.push({ name: other.section, host: other.host, port: (await listen(other)).port })
      return { port, listeners }
    },
    leave: () => all.forEach((server) => server.leave()),
    async close() {
      await Promise.all(all.map((server) => server.close()))
    },
    reloadCertificate: () => all.forEach((server) => server.reloadCertificate()),
    presented: () => ({
      ...api.server.presented(),
      isNewRefused: all.some((server) => server.presented().isNewRefused),
    }),
  }
}

async function listen({ section, server }: Listener): Promise<{ readonly port: number }> {
  try {
    return await server.listen()
  } catch (error) {
    throw new ExitError(exitReasonOf(error, section))
  }
}
