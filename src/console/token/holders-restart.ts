import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../../config/schema.ts'
import { isAnyServed } from '../../hsm/protocol/served-socket.ts'
import type { Invocation } from '../invocation.ts'
import { withTokenAccess } from '../token-access.ts'

const units = ['strongroom-keeper.service', 'strongroom-token@*.service']
const patienceMs = 30_000
const pollMs = 250

/**
 * Makes the running keeper and token hosts use the current PIN, and waits until they do. systemd passes a credential
 * when a service starts, so its services are restarted. Others read the file at their next login and stay logged in
 * until then. Returns a sentence about what was done or is left to do.
 */
export async function renewLogins(invocation: Invocation, config: Config): Promise<string> {
  const { spawn, sockets } = config.hsm
  if (!(await isAnyServed(sockets))) return 'No token host runs: the next ones take the new PIN.'
  const isSystemd = !spawn && existsSync('/run/systemd/system')
  if (isSystemd) execFileSync('systemctl', ['try-restart', ...units], { stdio: 'pipe' })
  const states = await settledStates(invocation, config)
  if (states.some((state) => state !== 'ready'))
    return 'Not all token hosts use the new PIN: strongroom doctor says why.'
  if (isSystemd) return `Restarted: ${units.join(', ')}.`
  if (spawn) return 'Keeper and token hosts go on, and read the new PIN at their next login.'
  return 'Restart the keeper and the token hosts, where another program than the daemon gives them the PIN.'
}

const settledStates = (invocation: Invocation, config: Config): Promise<string[]> =>
  withTokenAccess(invocation, config, async ({ hsm }) => {
    for (let waitedMs = 0; ; waitedMs += pollMs) {
      const states = (await hsm.status()).filter(({ isKeyMaker }) => !isKeyMaker).map(({ state }) => state)
      if (states.every((state) => state === 'ready') || waitedMs >= patienceMs) return states
      await delay(pollMs)
    }
  })
