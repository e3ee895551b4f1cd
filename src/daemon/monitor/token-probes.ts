import { keeperOf } from '../../config/keeper-section.ts'
import { keyMakerSocketOf } from '../../config/key-maker-socket.ts'
import type { Config } from '../../config/schema.ts'
import { keyMakerPatience } from '../../hsm/protocol/key-maker-patience.ts'
import { hostStatus } from '../../hsm/client/host-status.ts'
import { RequestRouter } from '../../hsm/client/request-router.ts'
import type { HostObservation } from '../../monitor/observation.ts'

export interface TokenProbes {
  look(): Promise<{
    readonly keeper: HostObservation
    readonly hosts: readonly HostObservation[]
    readonly keyMaker: HostObservation
  }>
  close(): void
}

/** Time limit for an answer to `ping`, for which the token is not needed. */
const deadlineMs = 2_000

/** Connections of the primary itself to keeper and token hosts, so that they are observed even when no worker runs. */
export function createTokenProbes(config: Config): TokenProbes {
  const keeper = probeOf('keeper', keeperOf(config).socket)
  const hosts = config.hsm.sockets.map((socket, at) => probeOf(`host-${at + 1}`, socket))
  const keyMaker = probeOf('key-maker', keyMakerSocketOf(config.hsm), keyMakerPatience * config.hsm.deadlineMs)
  return {
    async look() {
      const [ofKeeper, ofKeyMaker, ...ofHosts] = await Promise.all([
        keeper.look(),
        keyMaker.look(),
        ...hosts.map((host) => host.look()),
      ])
      return { keeper: ofKeeper, keyMaker: ofKeyMaker, hosts: ofHosts }
    },
    close: () => [keeper, keyMaker, ...hosts].forEach((probe) => probe.close()),
  }
}

/** `patienceMs`: how long a process that was ready may be silent for its work, as long as its connection stands. */
function probeOf(name: string, socket: string, patienceMs = 0) {
  let losses = 0
  let isSilent = false
  let ready: { readonly at: number; readonly losses: number } | undefined
  const router = new RequestRouter<'ping'>({
    operations: ['ping'],
    peer: name === 'keeper' ? 'keeper' : 'token host',
    sockets: [socket],
    deadlineMs,
    queue: 4,
    lost: () => (losses += 1),
    ended: (_operation, _milliseconds, fault) => (isSilent = fault !== undefined),
  })
  return {
    async look(): Promise<HostObservation> {
      const { state, room } = await hostStatus(router, socket, 'ping')
      if (state === 'ready') ready = { at: performance.now(), losses }
      // One that says itself that it is down is not busy.
      const isBusy = isSilent && ready?.losses === losses && performance.now() - ready.at < patienceMs
      return { name, state: isBusy ? 'ready' : state, losses, room }
    },
    close: () => router.close(),
  }
}
