import { Module, type Slot, type Token, TokenFlag } from 'graphene-pk11'
import type { PKCS11 } from 'pkcs11js'
import { Fault } from '../../fault.ts'
import { attempt } from './failure.ts'

/** The attributes of a token in a PKCS#11 URI, with at least one of label and serial. */
export interface TokenSelector {
  readonly token?: string
  readonly serial?: string
  readonly manufacturer?: string
  readonly model?: string
}

const selectors = ['token', 'serial', 'manufacturer', 'model'] as const

/**
 * Reads the path attributes of a PKCS#11 URI that identify a token (RFC 7512 §2.3). A slot number is refused, because
 * the slot may contain another token after the next reboot.
 * @throws Fault `hsm.unavailable` for text that is no such URI, has other attributes, or names neither label nor serial
 */
export function parseTokenUri(uri: string): TokenSelector {
  if (!uri.startsWith('pkcs11:')) throw refuse(uri, 'does not begin with "pkcs11:"')
  const path = uri.slice('pkcs11:'.length).split('?')[0] ?? ''
  const found: Record<string, string> = {}
  for (const part of path.split(';').filter((part) => part !== '')) {
    const [name, value] = splitOnce(part)
    if (value === undefined) throw refuse(uri, `has "${part}" without "="`)
    if (!(selectors as readonly string[]).includes(name))
      throw refuse(uri, `has "${name}", which does not name a token`)
    if (name in found) throw refuse(uri, `names "${name}" twice`)
    found[name] = decode(uri, value)
  }
  if (found['token'] === undefined && found['serial'] === undefined)
    throw refuse(uri, 'has neither "token=" nor "serial="')
  return found
}

function splitOnce(part: string): [string, string | undefined] {
  const at = part.indexOf('=')
  return at < 0 ? [part, undefined] : [part.slice(0, at), part.slice(at + 1)]
}

function decode(uri: string, value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    throw refuse(uri, 'is not percent-encoded UTF-8')
  }
}

function refuse(uri: string, why: string): Fault {
  return new Fault(
    'hsm.unavailable',
    `hsm.token "${uri}" ${why}; write for example pkcs11:token=strongroom;serial=0123456789abcdef`,
  )
}

/** A slot and the information about its token. */
export interface ChosenSlot {
  readonly slot: Slot
  readonly info: Token
}

/**
 * The only slot whose initialised token matches the selector. The first slot is never a default, because SoftHSM2 shows
 * an empty token there while another process logs in.
 * @throws Fault `hsm.unavailable` where no token or several match
 */
export function chooseSlot(lib: PKCS11, selector: TokenSelector): ChosenSlot {
  const present = initialisedTokens(lib)
  const fitting = present.filter(({ info }) => fits(info, selector))
  const [first, second] = fitting
  if (first === undefined) {
    const others = present.map(({ info }) => describe(info)).join(', ')
    throw new Fault(
      'hsm.unavailable',
      `No token fits hsm.token; the module shows ${others === '' ? 'no initialised token' : others}. Correct hsm.token, hsm.module or hsm.softhsmConf.`,
    )
  }
  if (second !== undefined) {
    throw new Fault(
      'hsm.unavailable',
      `${fitting.length} tokens fit hsm.token: add the serial (${describe(first.info)}, ${describe(second.info)}).`,
    )
  }
  return first
}

// Graphene and the operations share one PKCS11 object, so that the module is loaded and initialised once.
function initialisedTokens(lib: PKCS11): ChosenSlot[] {
  return attempt('session', () =>
    [...new Module(lib).getSlots(true)].map((slot) => ({ slot, info: slot.getToken() })),
  ).filter(({ info }) => (info.flags & TokenFlag.TOKEN_INITIALIZED) !== 0)
}

function fits(info: Token, selector: TokenSelector): boolean {
  return (
    (selector.token === undefined || selector.token === info.label) &&
    (selector.serial === undefined || selector.serial === info.serialNumber) &&
    (selector.manufacturer === undefined || selector.manufacturer === info.manufacturerID) &&
    (selector.model === undefined || selector.model === info.model)
  )
}

function describe({ label, serialNumber }: Token): string {
  return `pkcs11:token=${label};serial=${serialNumber}`
}
