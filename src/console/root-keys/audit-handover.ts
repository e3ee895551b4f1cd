import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { leaveTrailKeys } from '../../audit/trail-keys.ts'
import { createAuditHeads } from '../../audit/records.ts'
import { createSealVerifier, isGenuine, parseSeal } from '../../audit/seal.ts'
import { listSegments } from '../../audit/segment.ts'
import { publicKeyPem } from '../../encoding/pem.ts'
import { keyId, type SignedEnd } from '../../hsm/audit-end.ts'
import type { TokenContext } from '../console-context.ts'
import { leaveToOwner } from '../file-owner.ts'

/** The key that signs the trail now, for auditors. */
export interface NewAuditKey {
  /** Its id in seals: the first 16 hexadecimal digits of its SHA-256. */
  readonly key: string
  /** Its PEM file, in the folder of the trail. */
  readonly file: string
}

/**
 * Makes the keeper sign with the newest version from now on, and writes the succession to the folder of the trail;
 * undefined if it already does. The succession also states the ends of chains that the keeper does not know, because no
 * process writes them any more.
 */
export async function handOver({ config, store, token }: TokenContext): Promise<NewAuditKey | undefined> {
  const { directory } = config.audit
  const succession = await token.hsm.succeedAuditKey(await knownEnds({ config, store }))
  const { publicKey, successions } = await leaveTrailKeys(directory, token.hsm)
  const file = `audit-public-${keyId(publicKey)}.pem`
  if (successions.length > 0) writeFileSync(join(directory, file), publicKeyPem(publicKey), { mode: 0o644 })
  leaveToOwner(directory)
  return succession && { key: keyId(publicKey), file }
}

/** The last signed ends, from the database, of the chains in this folder. */
export async function knownEnds({ config, store }: Pick<TokenContext, 'config' | 'store'>): Promise<SignedEnd[]> {
  const here = await listSegments(config.audit.directory)
  const heads = [...(await createAuditHeads(store).read())].filter(([chain]) => here.has(chain))
  return heads.flatMap(([, { line }]) => parseSeal(line) ?? [])
}

/** The number of chains whose last seal an earlier key made after the succession: other machines still sign with it. */
export async function chainsOfOthers({ store, token }: Pick<TokenContext, 'store' | 'token'>): Promise<number> {
  const verifier = createSealVerifier(await token.hsm.auditKeys())
  const heads = await createAuditHeads(store).read()
  return [...heads].filter(([chain, head]) => {
    const key = parseSeal(head.line)?.statement.key
    return key !== undefined && verifier.knows(key) && key !== verifier.keyId && !isGenuine(chain, head, verifier)
  }).length
}
