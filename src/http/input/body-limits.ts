import type { IncomingMessage } from 'node:http'
import { networkOf } from '../../access/network.ts'
import { Fault } from '../../fault.ts'
import { type BodyBudget, createPassedBody, type HeldBody } from './body-budget.ts'
import { tokenAtStart } from './body-start.ts'
import { widenBodyWindow } from './body-window.ts'
import { callBytes } from './call-size.ts'
import { mostValues } from './members.ts'

/** How much of a body may be kept in memory. */
export interface BodyLimits {
  /** Bytes of the body; for a form, of all its fields. */
  readonly maxBytes: number
  /** A file up to this size is kept in memory, so that fields may follow it. */
  readonly maxFileBytes: number
  /** Limit of members and elements in JSON. */
  readonly maxValues: number
  readonly tooLarge: () => Fault
  /** Whether DATA repeats the members even to an unidentified caller. */
  readonly isEchoed: boolean
  /** Counts what is kept. */
  readonly held: HeldBody
  /**
   * The larger limits for a body that begins like this: where it begins with a valid session token. Undefined where
   * there is no token at the beginning.
   * @throws what `identifyBy` throws
   */
  readonly widen?: (start: string) => Promise<BodyLimits | undefined>
}

/** Limit for every unidentified call: 0.5 ms of parsing in the worst case. */
const smallBytes = 8 * 1024
/** Limit for a call whose session token may be anywhere in the body, as some published clients send it. */
const tokenBodyBytes = 64 * 1024
/** With few members, a body of that size parses as fast as a small one with many. */
const tokenBodyValues = 1_024
/** A file up to this size is kept in memory; a larger one is passed on as it arrives. */
const keptFileBytes = 1024 * 1024

/**
 * Determines the limits before the body of a call is read. `identify` finds the caller by a token in header, query or
 * cookie. A client without a session may send only a small body.
 * @throws Fault `request.too_large`, and what `identify` throws
 */
export async function admitBody(
  { req, address, hasToken, isPublic }: IncomingBody,
  { maxBodyBytes, budgets, identify, identifyBy }: AdmissionRules,
): Promise<BodyLimits> {
  const announced = announcedBytes(req)
  const ofCaller = (held: HeldBody): BodyLimits => {
    widenBodyWindow(req, announced)
    return {
      maxBytes: maxBodyBytes,
      maxFileBytes: keptFileBytes,
      maxValues: mostValues,
      tooLarge: () => tooLarge(`${maxBodyBytes} bytes (the setting http.maxBodyBytes)`),
      isEchoed: true,
      held,
    }
  }
  if (!isPublic && announced > smallBytes && hasToken) {
    const held = budgets.identified.begin(String(await identify()))
    held.take(callBytes(req))
    return ofCaller(held)
  }
  const held = createPassedBody(budgets.unidentified.begin(networkOf(address)))
  held.take(callBytes(req))
  if (isPublic || announced <= smallBytes)
    return {
      maxBytes: smallBytes,
      maxFileBytes: smallBytes,
      maxValues: mostValues,
      tooLarge: () => tooLarge(`the ${smallBytes} bytes of a call without a session`),
      isEchoed: true,
      held,
    }
  return {
    maxBytes: Math.min(tokenBodyBytes, maxBodyBytes),
    maxFileBytes: tokenBodyBytes,
    maxValues: tokenBodyValues,
    tooLarge: () =>
      tooLarge(
        `${tokenBodyBytes} bytes: send the session token before the large member of the JSON, or in the header X-Http-Token`,
      ),
    isEchoed: false,
    held,
    ...(announced > tokenBodyBytes && {
      async widen(start) {
        const token = tokenAtStart(start)
        if (token === undefined) return undefined
        held.passTo(budgets.identified.begin(String(await identifyBy(token))))
        return ofCaller(held)
      },
    }),
  }
}

export interface IncomingBody {
  readonly req: IncomingMessage
  readonly address: string
  /** Whether header, query or cookie have a session token. */
  readonly hasToken: boolean
  readonly isPublic: boolean
}

export interface AdmissionRules {
  readonly maxBodyBytes: number
  readonly budgets: BodyBudgets
  /** Finds the caller; resolves to the id of the user. */
  readonly identify: () => Promise<number>
  /** The same by a token in the body. */
  readonly identifyBy: (token: string) => Promise<number>
}

/** The budgets of bodies of unidentified callers, by network, and of identified ones, by user. */
export interface BodyBudgets {
  readonly unidentified: BodyBudget
  readonly identified: BodyBudget
}

function announcedBytes({ headers }: IncomingMessage): number {
  const announced = headers['content-length']
  return announced === undefined ? Infinity : Number(announced)
}

const tooLarge = (bound: string): Fault => new Fault('request.too_large', `The body is larger than ${bound}.`)
