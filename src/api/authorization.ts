import { decimalId } from '../access/decimal-id.ts'
import { holds } from '../access/capabilities.ts'
import type { Admission, AdmissionRequest } from '../access/gate.ts'
import { includes } from '../access/permission.ts'
import { Fault } from '../fault.ts'
import { vaultParameter, type Access, type AnyEndpoint, type AuditNote } from './endpoint.ts'
import type { JsonObject } from './envelope.ts'
import { isPlainText } from './json.ts'

type InVault = Extract<Access<unknown>, { kind: 'vault' }>
type Params = Readonly<Record<string, string>>

/** What the gate is to look for: the vault that the call names, and the thing in it. */
export function placeOf(
  contract: AnyEndpoint,
  params: Params,
  body: JsonObject,
): Omit<AdmissionRequest, 'token' | 'address'> {
  const access: Access<unknown> = contract.access
  if (access.kind !== 'vault') return {}
  const { subject } = access
  const name = nameIn(access, params)
  if (subject?.locator) return { subject: { subject, name: idOf(name) } }
  return {
    vaultId: idOf(vaultIn(access, params, body)),
    // A name that no store can look for is looked for by none; the contract refuses it right after.
    ...(subject === undefined || name === undefined || !isPlainText(name) ? {} : { subject: { subject, name } }),
  }
}

/** What the audit record says of it, found or not. */
export function placeNote(contract: AnyEndpoint, params: Params, body: JsonObject): AuditNote {
  const access: Access<unknown> = contract.access
  if (access.kind !== 'vault') return { vault: params[vaultParameter] }
  const name = nameIn(access, params)
  const { locator } = access.subject ?? {}
  if (locator) return { subject: `${locator.noun} ${name}` }
  const vault = vaultIn(access, params, body)
  return { vault: vault === undefined ? undefined : String(vault), key: name }
}

/** @throws Fault `access.capability`, `access.permission`, `request.invalid`, `vault.not_found`, or what the subject says of one that is not there */
export function authorize(contract: AnyEndpoint, admission: Admission, body: JsonObject): void {
  const access: Access<unknown> = contract.access
  if (access.kind === 'public') return
  if (access.kind === 'vault') checkPermission(access, admission, body)
  const { capability } = access
  const { capabilities } = admission.caller
  if (capability !== undefined && ![capability].flat().some((one) => holds(capabilities, one)))
    throw new Fault('access.capability')
}

function checkPermission(access: InVault, { vault }: Admission, body: JsonObject): void {
  const { member } = access
  if (member !== undefined && body[member] === undefined)
    throw new Fault('request.invalid', `${member} is missing; in a form it stands before the file.`)
  if (vault === undefined) throw new Fault(access.subject?.locator?.missing ?? 'vault.not_found')
  if (!includes(vault.permission, access.permission))
    throw new Fault(
      'access.permission',
      `This call needs ${access.permission} in the vault; you have ${vault.permission}.`,
    )
}

function nameIn({ subject }: InVault, params: Params): string | undefined {
  return subject && params[subject.parameter]
}

function vaultIn({ member }: InVault, params: Params, body: JsonObject): string | number | undefined {
  const named = member === undefined ? params[vaultParameter] : body[member]
  return typeof named === 'string' || typeof named === 'number' ? named : undefined
}

/** Ids are decimal; anything else is the id of nothing. */
function idOf(given: string | number | undefined): number {
  return decimalId(String(given)) ?? -1
}
