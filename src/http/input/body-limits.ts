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
  /** Bytes of the body; of a form, of all its fields. */
  readonly maxBytes: number
  /** Bytes of a file up to which it is kept, so that fields may stand behind it. */
  readonly maxFileBytes: number
  /** Members and elements of JSON. */
  readonly maxValues: number
  readonly tooLarge: () => Fault
  /** Whether DATA repeats the members to a caller who is not known. */
  readonly isEchoed: boolean
  /** Counts what is kept. */
  readonly held: HeldBody
  /**
   * What may be kept of a body that begins so: more, where the session token stands in its beginning and is good;
   * undefined where none stands there.
   * @throws what `identifyBy` throws
   */
  readonly widen?: (start: string) => Promise<BodyLimits | undefined>
}

/** What every call may send before anybody knows who calls: 0.5 ms of parsing at the worst. */
const smallBytes = 8 * 1024
/** What a call may send that has its session token anywhere in the body, as some published clients do. */
const tokenBodyBytes = 64 * 1024
/** With few members this much parses as fast as a small body with many. */
const tokenBodyValues = 1_024
/** A file up to this size is kept; a larger one is handed on as it comes. */
const keptFileBytes = 1024 * 1024

/**
 * Decides before the body of a call is read. `identify` finds the caller by a token in header, query or cookie: a client
 * without a session sends no more than a little.
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
  /** The same by this token, which stands in the body. */
  readonly identifyBy: (token: string) => Promise<number>
}

/** Of calls whose callers are not known, by their networks, and of those whose callers are, by these. */
export interface BodyBudgets {
  readonly unidentified: BodyBudget
  readonly identified: BodyBudget
}

function announcedBytes({ headers }: IncomingMessage): number {
  const announced = headers['content-length']
  return announced === undefined ? Infinity : Number(announced)
}

const tooLarge = (bound: string): Fault => new Fault('request.too_large', `The body is larger than ${bound}.`)
