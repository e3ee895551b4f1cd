import { keyUsage, type Certificate } from './certificate.ts'
import { readRevocationLists, type RevocationList } from './revocation-list.ts'
import { isGoodSignature } from './signature.ts'
import { reloadOnChange, type ReportProblem } from './reloaded-file.ts'

export interface Revocations {
  /**
   * Why a certificate is rejected, for the audit trail; undefined when a current list of its issuer does not name it.
   */
  rejectReason(certificate: Certificate, issuer: Certificate, now: number): string | undefined
  /**
   * Conditions that an operator must attend to, one sentence each: lists that have expired or soon will, CAs without a
   * list.
   */
  alarms(authorities: readonly Certificate[], now: number): string[]
}

export interface RevocationOptions {
  /** Files with revocation lists. Without files nothing is checked. */
  readonly crls: readonly string[]
  readonly crlWarningMs: number
}

/**
 * Looks certificates up in the revocation lists of their CAs. Certificates of a CA without a current list are rejected.
 */
export function createRevocations({ crls, crlWarningMs }: RevocationOptions, report: ReportProblem): Revocations {
  const files = crls.map((path) => reloadOnChange(path, readRevocationLists, report))
  const verified = new WeakMap<RevocationList, Map<string, boolean>>()

  function isSignedBy(list: RevocationList, issuer: Certificate): boolean {
    const known = verified.get(list) ?? new Map<string, boolean>()
    verified.set(list, known)
    const before = known.get(issuer.fingerprint)
    if (before !== undefined) return before
    const maySign = issuer.keyUsages === undefined || (issuer.keyUsages & keyUsage.crlSign) !== 0
    const good = maySign && isGoodSignature(list.algorithm, list.signed, list.signature, issuer.publicKey)
    known.set(issuer.fingerprint, good)
    return good
  }

  function listsOf(issuer: Certificate): RevocationList[] {
    return files
      .flatMap((file) => file.current() ?? [])
      .filter((list) => list.issuerName.equals(issuer.subjectName) && isSignedBy(list, issuer))
  }

  return {
    rejectReason(certificate, issuer, now) {
      if (files.length === 0) return undefined
      const lists = listsOf(issuer).filter(({ coversUsers, coversAuthorities }) =>
        certificate.isCa ? coversAuthorities : coversUsers,
      )
      if (lists.some(({ serials }) => serials.has(certificate.serial))) return 'revoked'
      if (lists.length === 0) return 'of a CA without a revocation list'
      const current = scopesOf(lists.filter(({ thisUpdate, nextUpdate }) => thisUpdate <= now && now <= nextUpdate))
      return current.size === scopesOf(lists).size ? undefined : 'of a CA whose revocation list has expired'
    },

    alarms(authorities, now) {
      if (files.length === 0) return []
      return authorities.flatMap((ca) => {
        const name = ca.parsed.subject.replaceAll('\n', ', ')
        const lists = listsOf(ca)
        if (lists.length === 0) return [`There is no revocation list of ${name}: what it issued is refused.`]
        return [...scopesOf(lists).values()].flatMap((nextUpdate) => alarm(name, nextUpdate, now))
      })
    },
  }

  function alarm(name: string, nextUpdate: number, now: number): string[] {
    const when = new Date(nextUpdate).toISOString()
    if (now > nextUpdate) return [`The revocation list of ${name} expired on ${when}: its certificates are refused.`]
    if (now + crlWarningMs <= nextUpdate) return []
    return [
      `The revocation list of ${name} expires on ${when}: fetch a new one before, or its certificates are refused.`,
    ]
  }
}

/** The scopes of these lists, each with the expiry of its newest list. */
function scopesOf(lists: readonly RevocationList[]): Map<string, number> {
  const scopes = new Map<string, number>()
  for (const { scope, nextUpdate } of lists) scopes.set(scope, Math.max(nextUpdate, scopes.get(scope) ?? 0))
  return scopes
}
