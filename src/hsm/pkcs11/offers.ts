import pkcs11, { type Mechanism } from 'pkcs11js'
import { Fault } from '../../fault.ts'
import { type AnyKind, type KindOffer, anyKinds } from '../hsm.ts'
import { type AnyKindRow, passingTemplate, rowOf } from './any-kinds.ts'
import type { Connection } from './connection.ts'
import { TokenFailure, attempt } from './failure.ts'
import { keyWrap, mechanismName, paddedWrap, rsaPss } from './mechanisms.ts'
import { makePassing } from './passing-keys.ts'
import type { Token } from './token.ts'

const found = new WeakMap<Connection, ReadonlyMap<AnyKind, KindOffer>>()

/** What the token of this epoch can do with each kind. Leaves no object behind. */
export function offers(token: Token): ReadonlyMap<AnyKind, KindOffer> {
  return token.run((connection) => {
    const known = found.get(connection)
    if (known !== undefined) return known
    const trials = new Map<AnyKind, string | undefined>()
    const wrapping = (kind: AnyKind) => {
      // RSA keys take seconds to make: the smallest speaks for the larger ones, whose sizes the mechanism tells.
      const tried = kind.startsWith('rsa-') ? 'rsa-2048' : kind
      if (!trials.has(tried)) trials.set(tried, failureOf(connection, tried))
      return trials.get(tried)
    }
    const offered = new Map(
      anyKinds.map((kind): [AnyKind, KindOffer] => {
        const resident = lackingUse(connection, kind)
        return [kind, { resident, wrapped: resident ?? lackingWrap(connection, rowOf(kind)) ?? wrapping(kind) }]
      }),
    )
    found.set(connection, offered)
    return offered
  })
}

/** Throws `hsm.unsupported` with the name of what the token lacks to make and use keys of this kind. */
export function requireUse(connection: Connection, kind: AnyKind): void {
  const lacking = lackingUse(connection, kind)
  if (lacking !== undefined)
    throw new Fault('hsm.unsupported', `Keys of kind ${kind} need ${lacking}, which this token lacks.`)
}

function lackingUse({ lib, slot, mechanisms }: Connection, kind: AnyKind): string | undefined {
  const row = rowOf(kind)
  const missing = neededBy(row).find(({ mechanism }) => !mechanisms.has(mechanism))
  if (missing !== undefined) return mechanismName(missing.mechanism)
  if (row.serves !== 'sign' || row.family !== 'rsa') return undefined
  const { maxKeySize } = attempt('session', () => lib.C_GetMechanismInfo(slot.handle, row.generation.mechanism))
  return maxKeySize < row.modulusBits ? `RSA of ${row.modulusBits} bits` : undefined
}

function neededBy(row: AnyKindRow): readonly Mechanism[] {
  if (row.serves !== 'sign') return [row.mechanism, row.generation]
  return [row.signing, row.generation, ...(row.family === 'rsa' ? [rsaPss] : [])]
}

function lackingWrap({ mechanisms }: Connection, row: AnyKindRow): string | undefined {
  if (row.serves === 'sign') return paddedWrap(mechanisms) === undefined ? 'AES_KEY_WRAP_KWP' : undefined
  return mechanisms.has(keyWrap.mechanism) ? undefined : mechanismName(keyWrap.mechanism)
}

/** Makes, wraps and unwraps a key. */
function failureOf(connection: Connection, kind: AnyKind): string | undefined {
  const { keeper, roots, mechanisms } = connection
  const row = rowOf(kind)
  const wrap = (row.serves === 'sign' ? paddedWrap(mechanisms) : undefined) ?? keyWrap
  const kek = roots.newestKek('exportable').handle
  const { key } = makePassing(keeper, row)
  try {
    keeper.destroy(keeper.unwrap(wrap, kek, keeper.wrap(wrap, kek, key), passingTemplate(row)))
    return undefined
  } catch (error) {
    if (!(error instanceof TokenFailure) || !meansLacking(error)) throw error
    return `${mechanismName(wrap.mechanism)} of ${kind} keys`
  } finally {
    keeper.destroy(key)
  }
}

function meansLacking({ remedy, code }: TokenFailure): boolean {
  return remedy === 'data' || remedy === 'unsupported' || code === pkcs11.CKR_GENERAL_ERROR
}
