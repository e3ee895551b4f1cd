import { createClient, type Client } from '@strongroom/client'
import { nodeTransport, type OnProgress } from '@strongroom/client/node'
import { readFileSync } from 'node:fs'
import { LoginNeeded, Refusal, sentenceOf, UsageError } from './exit-code.ts'
import { unreadable } from './private-file.ts'
import { storeOf } from './secret-store.ts'
import { readSettings, readUrl, type ApplianceSettings } from './settings.ts'
import type { Terminal } from './terminal.ts'

/** The appliance that a command uses. */
export interface Target {
  readonly url: string
  readonly known: ApplianceSettings
}

export function targetOf(option: string | undefined): Target {
  const { url: last, appliances } = readSettings()
  const given = option ?? (process.env['STRONGROOM_URL'] || last)
  if (given === undefined)
    throw new UsageError('No appliance is known: give --url https://vault.example.com, or set STRONGROOM_URL.')
  const url = readUrl(given)
  return { url, known: appliances[url] ?? {} }
}

/**
 * TLS options for the CA of the appliance. Without them, Node.js trusts its default CAs and those of
 * NODE_EXTRA_CA_CERTS; `ca` replaces both.
 */
export function authorityOf(ca: string | undefined): { readonly ca?: Buffer } {
  if (ca === undefined) return {}
  const content = contentOf(ca)
  if (!content.includes(' CERTIFICATE-----')) throw new Refusal(`${ca} holds no certificate in PEM.`)
  return { ca: content }
}

export function contentOf(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw unreadable(file, error)
  }
}

/**
 * Milliseconds for which a token of the keyring is used without another look: each starts a program, and may ask a person
 * to unlock. A token that another process has replaced stays good for 30 seconds.
 */
const keyringFreshMs = 10_000

export interface Connection {
  readonly client: Client
  /** Sets the listener for the progress of bodies. */
  readonly watch: (onProgress: OnProgress) => void
  close(): void
}

/** Connects with the session of the last login. @throws LoginNeeded */
export function connect(option: string | undefined, terminal: Pick<Terminal, 'complain'>): Connection {
  const { url, known } = targetOf(option)
  if (known.kept === undefined) throw new LoginNeeded(url)
  const store = storeOf(url, known.kept)
  const token = store.read('session')
  if (token === undefined) throw new LoginNeeded(url)
  let own: string | undefined = token
  let readTick = performance.now()
  /** False once a new token could not be stored: what is stored then was replaced. */
  let isKept = true
  /** Stores the new token. A token that another process has stored meanwhile is newer and is not replaced. */
  function keep(next: string | undefined): void {
    try {
      const isOwn = store.read('session') === own
      own = next
      if (!isOwn) return
      if (next === undefined) store.remove('session')
      else store.write('session', next)
    } catch (error) {
      // The call itself was answered, and has perhaps changed something.
      own = next
      isKept = false
      terminal.complain(`The session cannot be kept: log in again. ${sentenceOf(error)}`)
    }
  }
  /**
   * The token that another process of this user has stored since. The appliance may take the use of a replaced one for
   * that of a thief, and a command may wait long for its input.
   */
  function newest(): string | undefined {
    if (!isKept || (known.kept === 'keyring' && performance.now() - readTick < keyringFreshMs)) return own
    readTick = performance.now()
    try {
      const stored = store.read('session')
      if (stored !== undefined && readSettings().appliances[url]?.username === known.username) own = stored
    } catch {
      // A keyring may have been locked meanwhile, which is no reason to give up what has begun.
    }
    return own
  }
  let watcher: OnProgress | undefined
  const onProgress: OnProgress = (done, total) => watcher?.(done, total)
  const transport = nodeTransport({ ...authorityOf(known.ca), maxConnections: 4, onProgress, idleMs: 60_000 })
  const client = createClient({
    url,
    token,
    transport: {
      ...transport,
      send: (request) =>
        transport.send({ ...request, headers: { ...request.headers, 'X-Http-Token': newest() ?? token } }),
    },
    // Ten minutes, because a large file may be slow without being stuck. What is stuck ends after a minute (`idleMs`).
    timeoutMs: 600_000,
    onToken: keep,
  })
  return { client, watch: (next) => (watcher = next), close: () => client.close() }
}
