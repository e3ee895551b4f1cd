import pkcs11, { type Mechanism } from 'pkcs11js'
import { Fault } from '../../fault.ts'
import { isRsaKind, type KeyKind, keyKinds, type KindSupport } from '../key-kind.ts'
import { type KeyRow, rowOf } from './key-kinds.ts'
import { transientTemplate } from './key-templates.ts'
import type { Connection } from './connection.ts'
import { attempt, TokenFailure } from './failure.ts'
import { keyWrap, mechanismName, paddedWrap, rsaPss } from './mechanisms.ts'
import { generateSessionKey } from './session-keys.ts'
import type { Token } from './token-link.ts'

const found = new WeakMap<Connection, ReadonlyMap<KeyKind, KindSupport>>()

/** What the token can do with each kind, found once per epoch. Leaves no object in the token. */
export function kindSupport(token: Token): ReadonlyMap<KeyKind, KindSupport> {
  return token.run((connection) => {
    const known = found.get(connection)
    if (known !== undefined) return known
    // Generating an RSA key takes too long for a try. C_GetMechanismInfo gives the supported sizes, and the key maker
    // finds out whether the token wraps such keys.
    const wrapping = (kind: KeyKind) => (isRsaKind(kind) ? undefined : wrapFailure(connection, kind))
    const support = new Map(
      keyKinds.map((kind): [KeyKind, KindSupport] => {
        const tokenObject = missingForUse(connection, kind)
        return [
          kind,
          { tokenObject, wrapped: tokenObject ?? missingForWrap(connection, rowOf(kind)) ?? wrapping(kind) },
        ]
      }),
    )
    found.set(connection, support)
    return support
  })
}

/** @throws Fault `hsm.unsupported` with the name of a mechanism or size that the token lacks for keys of this kind */
export function requireSupport(connection: Connection, kind: KeyKind): void {
  const missing = missingForUse(connection, kind)
  if (missing !== undefined)
    throw new Fault('hsm.unsupported', `Keys of kind ${kind} need ${missing}, which this token lacks.`)
}

function missingForUse({ slot, mechanisms }: Connection, kind: KeyKind): string | undefined {
  const row = rowOf(kind)
  const missing = neededBy(row).find(({ mechanism }) => !mechanisms.has(mechanism))
  if (missing !== undefined) return mechanismName(missing.mechanism)
  if (row.serves !== 'sign' || row.family !== 'rsa') return undefined
  const { maxKeySize } = attempt('session', () => slot.lib.C_GetMechanismInfo(slot.handle, row.generation.mechanism))
  return maxKeySize < row.modulusBits ? `RSA of ${row.modulusBits} bits` : undefined
}

function neededBy(row: KeyRow): readonly Mechanism[] {
  if (row.serves !== 'sign') return [row.mechanism, row.generation]
  return [row.signing, row.generation, ...(row.family === 'rsa' ? [rsaPss] : [])]
}

function missingForWrap({ mechanisms }: Connection, row: KeyRow): string | undefined {
  if (row.serves === 'sign') return paddedWrap(mechanisms) === undefined ? 'AES_KEY_WRAP_KWP' : undefined
  return mechanisms.has(keyWrap.mechanism) ? undefined : mechanismName(keyWrap.mechanism)
}

/** Tries to generate, wrap and unwrap a key. Returns what the token lacks; undefined when all succeeded. */
function wrapFailure(connection: Connection, kind: KeyKind): string | undefined {
  const { keySession, roots, mechanisms } = connection
  const row = rowOf(kind)
  const wrap = (row.serves === 'sign' ? paddedWrap(mechanisms) : undefined) ?? keyWrap
  const kek = roots.newestKek('exportable').handle
  const { key } = generateSessionKey(keySession, row)
  try {
    keySession.destroy(keySession.unwrap(wrap, kek, keySession.wrap(wrap, kek, key), transientTemplate(row)))
    return undefined
  } catch (error) {
    if (!(error instanceof TokenFailure) || !meansMissing(error)) throw error
    return `${mechanismName(wrap.mechanism)} of ${kind} keys`
  } finally {
    keySession.destroy(key)
  }
}

function meansMissing({ remedy, code }: TokenFailure): boolean {
  return remedy === 'data' || remedy === 'unsupported' || code === pkcs11.CKR_GENERAL_ERROR
}
