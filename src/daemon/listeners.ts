import { EndingError, endingOf } from './exit.ts'
import type { ApplianceServer } from '../http/server/server.ts'

export interface Listener {
  /** The section of the configuration with its `host` and `port`, for the one who has to correct them. */
  readonly section: string
  readonly server: ApplianceServer
}

/**
 * The listeners of one worker as one: the API first, then the optional ones, which begin and end with it. `listen` resolves to the
 * API's port, and rejects with EndingError that names the section.
 */
export function joinListeners([api, ...others]: readonly [Listener, ...Listener[]]): ApplianceServer {
  const all = [api, ...others].map(({ server }) => server)
  return {
    async listen() {
      const answer = await listen(api)
      for (const other of others) await listen(other)
      return answer
    },
    async close() {
      await Promise.all(all.map((server) => server.close()))
    },
    reloadCertificate: () => all.forEach((server) => server.reloadCertificate()),
  }
}

async function listen({ section, server }: Listener): Promise<{ readonly port: number }> {
  try {
    return await server.listen()
  } catch (error) {
    throw new EndingError(endingOf(error, section))
  }
}
