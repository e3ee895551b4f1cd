import type { ServiceAccount } from '../interface/calls.ts'

/** The lines of a field that are not empty. */
export const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

/** What a field of local time shows for a moment of the interface; empty for never. */
function localTimeOf(moment: string): string {
  const at = new Date(moment)
  if (Number.isNaN(at.getTime())) return ''
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

export const utcTimeOf = (local: string): string => (local === '' ? 'never' : new Date(local).toISOString())

/** What a person types of an account, but for its credentials. */
interface TypedService {
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

/** The members of a call for what is not as it was; an owner who is taken out stays. */
export const changedOf = (typed: TypedService, before: TypedService) => ({
  ...(typed.description !== before.description && { description: typed.description }),
  ...(typed.addresses !== before.addresses && { addresses: linesOf(typed.addresses) }),
  ...(typed.expires !== before.expires && { expires: utcTimeOf(typed.expires) }),
  ...(typed.owner !== before.owner && typed.owner.trim() !== '' && { owner: typed.owner.trim() }),
})

/** Lines of `name=value`. */
export const claimsOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    linesOf(text).map((line) => {
      const at = line.indexOf('=')
      return at === -1 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    }),
  )
