import { decimalId } from '../../access/resource.ts'
import type { AnyEndpoint } from '../contract/endpoint.ts'
import { vaultParameter, type Access } from '../contract/endpoint.ts'
import type { JsonObject } from '../contract/envelope.ts'
import type { Note } from './request-context.ts'

export type Params = Readonly<Record<string, string>>

/** A longer name in a path is not taken into the record. */
const mostCharacters = 256

/**
 * The target of a call in its audit record, as its path names it, whether or not it exists. So the record of a refused
 * call names it as well, whichever step refused it.
 */
export function targetOfPath(params: Params): Note {
  const { name, version, [vaultParameter]: vault } = params
  return {
    vault: vault && short(vault),
    key: name && short(name),
    keyVersion: decimalId(version ?? ''),
    target: thingOf(params),
  }
}

function thingOf(params: Params): string | undefined {
  const { userid, sessionid, deviceid, passkeyid, objectid, templateid, serviceid, credentialid, linkid } = params
  if (serviceid !== undefined && credentialid !== undefined)
    return `service ${short(serviceid)}: credential ${short(credentialid)}`
  if (serviceid !== undefined) return `service ${short(serviceid)}`
  if (userid !== undefined && sessionid !== undefined) return `session ${short(sessionid)} of user ${short(userid)}`
  if (userid !== undefined && deviceid !== undefined) return `user ${short(userid)}: OTP device ${short(deviceid)}`
  if (userid !== undefined && passkeyid !== undefined) return `user ${short(userid)}: passkey ${short(passkeyid)}`
  if (userid !== undefined) return `user ${short(userid)}`
  // The device belongs to the caller.
  if (deviceid !== undefined) return `OTP device ${short(deviceid)}`
  if (passkeyid !== undefined) return `passkey ${short(passkeyid)}`
  if (linkid !== undefined) return `link ${short(linkid)}`
  if (objectid !== undefined) return `object ${short(objectid)}`
  return templateid === undefined ? undefined : `template ${short(templateid)}`
}

/** Adds what the body names as the target. */
export function noteTargetOfBody(note: Note, { access, target }: AnyEndpoint, body: JsonObject): void {
  const member = memberOf(access)
  const vault = member === undefined ? undefined : textOf(body[member])
  if (vault !== undefined) note.vault = vault
  const thing = target && textOf(body[target.member])
  if (target && thing !== undefined) note.target = `${target.noun} ${thing}`
}

const memberOf = (access: Access<unknown>): string | undefined => (access.kind === 'vault' ? access.member : undefined)

const textOf = (given: unknown): string | undefined =>
  typeof given === 'string' || typeof given === 'number' ? short(String(given)) : undefined

const short = (text: string): string => text.slice(0, mostCharacters)
