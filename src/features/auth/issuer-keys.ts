import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request as tlsRequest } from 'node:https'
import { readResponse } from '../../bounded-reading.ts'
import type { Clock } from '../../clock.ts'
import { Fault } from '../../fault.ts'
import { longestJwks, readJwks } from '../../hsm/jwks.ts'

/** An issuer whose keys come by URL; those in a file are read by the keeper itself. */
export interface UrlIssuer {
  readonly issuer: string
  readonly jwksUrl: string
  /** PEM file with the CAs that the server's certificate is checked against, where the system's CAs do not cover it. */
  readonly jwksCa?: string | undefined
}

/** JWK sets that were fetched. The keeper has to take this worker's word for them. */
export interface IssuerKeys {
  /**
   * The newest set of an issuer, for an assertion that names this key; undefined for an issuer without a URL.
   * @throws Fault `login.refused` where none can be had
   */
  of(issuer: string, keyId: string | undefined): Promise<Uint8Array | undefined>
}

const timeoutMs = 5_000
/** A set is fetched again after this time, which bounds how long a key that the issuer withdrew stays valid. */
const freshMs = 300_000
/** Least time between two fetches while a set is held, however many clients name keys that it does not contain. */
const pauseMs = 60_000
/** The same while no set has been fetched yet. */
const firstPauseMs = 10_000
/** How long a set stays valid while its server does not answer. */
const keptMs = 86_400_000

interface Held {
  readonly set: Uint8Array
  readonly keyIds: ReadonlySet<string | undefined>
  readonly fetchedAt: number
}

export function createIssuerKeys(
  issuers: readonly UrlIssuer[],
  clock: Clock,
  report: (sentence: string, cause?: unknown) => void,
): IssuerKeys {
  const holders = new Map(issuers.map((issuer) => [issuer.issuer, createHolder(issuer, clock, report)]))
  return { of: async (issuer, keyId) => holders.get(issuer)?.(keyId) }
}

function createHolder(
  { issuer, jwksUrl, jwksCa }: UrlIssuer,
  clock: Clock,
  report: (sentence: string, cause?: unknown) => void,
) {
  let held: Held | undefined
  let triedAt = Number.NEGATIVE_INFINITY
  /** Parallel calls wait for one fetch. */
  let fetching: Promise<void> | undefined

  async function refresh(): Promise<void> {
    triedAt = clock.now()
    try {
      const set = await fetchSet(jwksUrl, jwksCa)
      held = { set, keyIds: new Set(readJwks(set).map(({ keyId }) => keyId)), fetchedAt: clock.now() }
    } catch (cause) {
      const stays = held === undefined ? '' : ', so those fetched before stay in force for a day'
      report(`The keys of the issuer ${issuer} cannot be fetched${stays}.`, cause)
    } finally {
      fetching = undefined
    }
  }

  /** A time in the future, of a clock that was ahead, counts like one in the past. */
  const since = (time: number): number => Math.abs(clock.now() - time)

  const isDue = (keyId: string | undefined): boolean => {
    const pause = held === undefined ? firstPauseMs : pauseMs
    if (since(triedAt) < pause) return false
    return held === undefined || since(held.fetchedAt) >= freshMs || (keyId !== undefined && !held.keyIds.has(keyId))
  }

  return async (keyId: string | undefined): Promise<Uint8Array> => {
    if (fetching === undefined && isDue(keyId)) fetching = refresh()
    await fetching
    if (held === undefined || since(held.fetchedAt) >= keptMs)
      throw new Fault('login.refused', `the keys of the issuer ${issuer} cannot be fetched: see the journal`)
    return held.set
  }
}

/** Follows no redirect; gives up on an answer that is too long or too slow. */
async function fetchSet(url: string, ca: string | undefined): Promise<Buffer> {
  const options = { headers: { Accept: 'application/jwk-set+json, application/json' } }
  const trust = ca === undefined ? {} : { ca: readFileSync(ca) }
  const signal = AbortSignal.timeout(timeoutMs)
  const request = tlsRequest(url, { ...options, ...trust, signal, agent: false })
  request.end()
  const [response] = await once(request, 'response')
  return readResponse(response, { server: 'the server', mostBytes: longestJwks })
}
