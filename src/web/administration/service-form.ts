import type { ServiceAccount } from '../interface/calls.ts'

/** The non-empty lines of a field. */
const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

/** A time of the interface as the value of a field for local time; empty for never. */
function localTimeOf(moment: string): string {
  const at = new Date(moment)
  if (Number.isNaN(at.getTime())) return ''
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

export const utcTimeOf = (local: string): string => (local === '' ? 'never' : new Date(local).toISOString())

/** The typed properties of an account, without its credentials. */
export interface TypedService {
  readonly name: string
  readonly description: string
  readonly owner: string
  readonly addresses: string
  readonly expires: string
}

export const typedOf = (service: ServiceAccount | undefined): TypedService => ({
  name: service?.name ?? '',
  description: service?.description ?? '',
  owner: service?.owner.id ?? '',
  addresses: service?.addresses.join('\n') ?? '',
  expires: service === undefined ? '' : localTimeOf(service.expires),
})

/** The changed members, for the call. An emptied owner is left out, because an account always has one. */
export const changedOf = (typed: TypedService, before: TypedService) => ({
  ...(typed.description !== before.description && { description: typed.description }),
  ...(typed.addresses !== before.addresses && { addresses: linesOf(typed.addresses) }),
  ...(typed.expires !== before.expires && { expires: utcTimeOf(typed.expires) }),
  ...(typed.owner !== before.owner && typed.owner.trim() !== '' && { owner: typed.owner.trim() }),
})

/** Parses lines of `name=value`. */
export const claimsOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    linesOf(text).map((line) => {
      const at = line.indexOf('=')
      return at === -1 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    }),
  )
