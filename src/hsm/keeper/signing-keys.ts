import { createHash } from 'node:crypto'
import { Fault } from '../../fault.ts'
import { type ChainPoint, isSignedBy, parseStatement, type SignedEnd } from '../audit-end.ts'
import { type Succession, successionText } from '../audit-succession.ts'
import { auditPublicKeys, signAudit } from '../pkcs11/seal-operations.ts'
import type { Token } from '../pkcs11/token-link.ts'
import type { KeeperState } from './keeper-state.ts'

/** Which version of the audit key signs, and what came before it. */
export interface AuditKeys {
  /** DER SubjectPublicKeyInfo of the one that signs. */
  publicKey(): Buffer
  /** r ‖ s over a SHA-256 digest. */
  sign(digest: Buffer): Buffer
  /** Of those that may have signed a chain that the keeper does not know. */
  earlierKeys(): readonly Buffer[]
  successions(): readonly Succession[]
  /**
   * Signs with the newest version of the token from now on; undefined where it does. `known`: the last end of each chain
   * that was signed here; `shown`: those of other chains, where the key before signed them.
   */
  succeed(known: ReadonlyMap<string, ChainPoint>, shown: readonly SignedEnd[]): Succession | undefined
}

interface Row {
  readonly version: number
  readonly text: string
  readonly byFormer: Buffer
  readonly byNext: Buffer
}

export function createAuditKeys(token: Token, state: KeeperState, now: () => number): AuditKeys {
  state.exec(
    'CREATE TABLE IF NOT EXISTS audit_keys (version INTEGER PRIMARY KEY, text TEXT NOT NULL, by_former BLOB NOT NULL, by_next BLOB NOT NULL) STRICT',
  )
  const list = state.prepare<[], Row>(
    'SELECT version, text, by_former AS byFormer, by_next AS byNext FROM audit_keys ORDER BY version',
  )
  const keep = state.prepare('INSERT INTO audit_keys (version, text, by_former, by_next) VALUES (?, ?, ?, ?)')

  /** Without a succession the first that there is: the newest was made, and nothing was said of it yet. */
  function current(): number {
    const { signing } = auditPublicKeys(token)
    return list.all().at(-1)?.version ?? Math.min(...signing)
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
      return list.all().length > 0 ? [] : [...keys].filter(([one]) => one < signing).map(([, key]) => key)
    },
    successions: () => list.all(),
    succeed(known, shown) {
      const [before, next] = [current(), Math.max(...auditPublicKeys(token).signing)]
      if (next <= before) return undefined
      const [from, to] = [publicKeyOf(before), publicKeyOf(next)]
      const heads = new Map([...headsIn(from, shown), ...known])
      const text = successionText({
        from: from.toString('base64'),
        to: to.toString('base64'),
        at: now(),
        heads: Object.fromEntries(heads),
      })
      const digest = createHash('sha256').update(text).digest()
      const [byFormer, byNext] = [signAudit(token, before, digest), signAudit(token, next, digest)]
      keep.run(next, text, byFormer, byNext)
      return { text, byFormer, byNext }
    },
  }
}

function headsIn(publicKey: Buffer, shown: readonly SignedEnd[]): [string, ChainPoint][] {
  return shown.flatMap((end): [string, ChainPoint][] => {
    const statement = parseStatement(end.text)
    return statement === undefined || !isSignedBy(publicKey, end) ? [] : [[statement.chain, statement.covers]]
  })
}
