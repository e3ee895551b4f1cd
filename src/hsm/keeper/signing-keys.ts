import { hash } from 'node:crypto'
import { Fault } from '../../fault.ts'
import { type ChainPoint, isSignedBy, parseStatement, type SignedEnd } from '../audit-end.ts'
import { type Succession, successionText } from '../audit-succession.ts'
import { auditPublicKeys, signAudit } from '../pkcs11/seal-operations.ts'
import type { Token } from '../pkcs11/token-link.ts'
import type { KeeperState } from './keeper-state.ts'

/** The version of the audit key that signs, and the versions before it. */
export interface AuditKeys {
  /** DER SubjectPublicKeyInfo of the signing key. */
  publicKey(): Buffer
  /** r ‖ s over a SHA-256 digest. */
  sign(digest: Buffer): Buffer
  /** Earlier keys, which may have signed a chain that the keeper does not know. */
  earlierKeys(): readonly Buffer[]
  successions(): readonly Succession[]
  /**
   * Signs with the token's newest version from now on; undefined where it does already. `known`: the last end of each
   * chain that was signed here. `shown`: those of other chains, if the key before signed them.
   */
  succeed(known: ReadonlyMap<string, ChainPoint>, shown: readonly SignedEnd[]): Succession | undefined
}

interface Row extends Succession {
  readonly version: number
}

/** The successions in the keeper's file, in the order of versions. */
export function openSuccessions(state: KeeperState) {
  state.exec(
    'CREATE TABLE IF NOT EXISTS audit_keys (version INTEGER PRIMARY KEY, text TEXT NOT NULL, by_former BLOB NOT NULL, by_next BLOB NOT NULL) STRICT',
  )
  const list = state.prepare<[], Row>(
    'SELECT version, text, by_former AS byFormer, by_next AS byNext FROM audit_keys ORDER BY version',
  )
  const keep = state.prepare('INSERT INTO audit_keys (version, text, by_former, by_next) VALUES (?, ?, ?, ?)')
  return {
    list: () => list.all(),
    keep: (version: number, { text, byFormer, byNext }: Succession) => void keep.run(version, text, byFormer, byNext),
  }
}

/** States where one key ends and the next one continues, signed by both. `sign`: r ‖ s over a SHA-256 digest. */
export function composeSuccession(
  keys: {
    readonly from: Buffer
    readonly to: Buffer
    readonly at: number
    readonly heads: ReadonlyMap<string, ChainPoint>
  },
  byFormer: (digest: Buffer) => Buffer,
  byNext: (digest: Buffer) => Buffer,
): Succession {
  const text = successionText({
    from: keys.from.toString('base64'),
    to: keys.to.toString('base64'),
    at: keys.at,
    heads: Object.fromEntries(keys.heads),
  })
  const digest = hash('sha256', text, 'buffer')
  return { text, byFormer: byFormer(digest), byNext: byNext(digest) }
}

export function createAuditKeys(token: Token, state: KeeperState, now: () => number): AuditKeys {
  const { list, keep } = openSuccessions(state)

  /** Without a succession the first version signs: the newest may have been made without a statement yet. */
  function current(): number {
    const { signing } = auditPublicKeys(token)
    return list().at(-1)?.version ?? Math.min(...signing)
  }

  function publicKeyOf(version: number): Buffer {
    const found = auditPublicKeys(token).keys.get(version)
    if (found === undefined)
      throw new Fault('hsm.unavailable', `The token that hsm.token names has no strongroom.audit.v${version}.`)
    return found
  }

  return {
    publicKey: () => publicKeyOf(current()),
    sign: (digest) => signAudit(token, current(), digest),
    earlierKeys() {
      const signing = current()
      const { keys } = auditPublicKeys(token)
      return list().length > 0 ? [] : [...keys].filter(([one]) => one < signing).map(([, key]) => key)
    },
    successions: list,
    succeed(known, shown) {
      const [before, next] = [current(), auditPublicKeys(token).newest]
      if (next <= before) return undefined
      const [from, to] = [publicKeyOf(before), publicKeyOf(next)]
      const heads = new Map([...headsIn(from, shown), ...known])
      const succession = composeSuccession(
        { from, to, at: now(), heads },
        (digest) => signAudit(token, before, digest),
        (digest) => signAudit(token, next, digest),
      )
      keep(next, succession)
      return succession
    },
  }
}

/** The ends among `shown` that this key signed. */
export function headsIn(publicKey: Buffer, shown: readonly SignedEnd[]): [string, ChainPoint][] {
  return shown.flatMap((end): [string, ChainPoint][] => {
    const statement = parseStatement(end.text)
    return statement === undefined || !isSignedBy(publicKey, end) ? [] : [[statement.chain, statement.covers]]
  })
}
