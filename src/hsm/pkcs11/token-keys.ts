import type { Template } from 'pkcs11js'
import { Fault } from '../../fault.ts'
import { type KeyKind, vaultKek } from '../key-kind.ts'
import type { MadeKey } from '../made-key.ts'
import { isPermitInTime } from '../object-permit.ts'
import type { FieldsOf } from '../record-layouts.ts'
import type { SealedRecord } from '../sealed-record.ts'
import { withDirectorySync } from './directory-sync.ts'
import { type KeyRow, rowOf } from './key-kinds.ts'
import { generatedPublicTemplate, tokenObjectPrivateTemplate, tokenObjectTemplate } from './key-templates.ts'
import { requireSupport } from './kind-support.ts'
import { makeLimited, mechanismsOf } from './object-limits.ts'
import type { Pkcs11Session } from './pkcs11-session.ts'
import { publicKeyOf } from './public-keys.ts'
import { openSealed, type SealCheck } from './seal-check.ts'
import type { Token } from './token-link.ts'
import { findObjects, idBytes, lastingTemplate, locked, tokenObjectLabelOf, trustedWrapsOnly } from './token-objects.ts'

export interface TokenObjectOptions {
  /** The folder of a software token (`hsm.tokenDirectory`). */
  readonly tokenDirectory?: string | undefined
  /** `hsm.movable`: whether data keys of vaults may move to another token. */
  readonly movable: boolean
}

/** A new object in the token, and what the permit says that it is for. */
export interface MadeObject {
  /** Its blob is the CKA_ID. */
  readonly key: MadeKey
  readonly purpose: Buffer
}

/**
 * Generates the key that a permit of the keeper allows. It never leaves the token, and is on the disk of a software token
 * when this returns. The permit names the CKA_ID, so that it serves for one object.
 * @throws Fault `hsm.seal_broken`; `hsm.rejected` for a permit of another kind of key; `hsm.unavailable` for one that was
 * used, or is not good at this time: another one will do
 */
export function createTokenObject(
  token: Token,
  kind: KeyKind,
  sealed: SealedRecord,
  { tokenDirectory, movable }: TokenObjectOptions,
): MadeObject {
  return withDirectorySync(tokenDirectory, () =>
    token.run((connection) => {
      const { session, keys } = connection
      const { id, kek, purpose, label } = openPermit(keys, kind, sealed)
      requireSupport(connection, kind)
      // This search also has SoftHSM2 notice the objects of other processes, see `noticeChanges`.
      if (findObjects(session, label, id).length > 0)
        throw new Fault('hsm.unavailable', 'The object that this permit allows was made already: try again.')
      const lasting = lastingTemplate(label, id, kek === vaultKek && movable ? trustedWrapsOnly : locked)
      const publicKey = generateLasting(session, rowOf(kind), lasting)
      return { key: { kek, blob: id, publicKey }, purpose }
    }),
  )
}

type Permit = FieldsOf<'object permit'> & { readonly label: string }

function openPermit(keys: Pick<SealCheck, 'verify'>, kind: KeyKind, sealed: SealedRecord): Permit {
  keys.verify(sealed)
  // A copy, because the frame is zeroed after the reply.
  const { type, fields } = openSealed(Buffer.from(sealed.record))
  const label = type === 'object permit' ? tokenObjectLabelOf(fields.kek) : undefined
  if (type !== 'object permit' || label === undefined || fields.kind !== kind || fields.id.length !== idBytes)
    throw new Fault(
      'hsm.rejected',
      'An object in the token is made by a permit of the keeper for this kind of key alone.',
    )
  if (!isPermitInTime(fields.expiresAt, Date.now()))
    throw new Fault('hsm.unavailable', 'The permit for this object is not good at this time: try again.')
  return { ...fields, label }
}

/** Generates the key. Returns the public half of a pair; undefined for a secret key. */
function generateLasting(session: Pkcs11Session, row: KeyRow, lasting: Template): Buffer | undefined {
  if (row.serves !== 'sign') {
    makeLimited(mechanismsOf(row), (limits) =>
      session.generate(row.generation, [...tokenObjectTemplate(row), ...lasting, ...limits]),
    )
    return undefined
  }
  const privateKey = [...tokenObjectPrivateTemplate(row), ...lasting]
  const pair = makeLimited(mechanismsOf(row), (limits) =>
    session.generatePair(row.generation, generatedPublicTemplate(row), [...privateKey, ...limits]),
  )
  try {
    return publicKeyOf(session, pair.publicKey, row)
  } finally {
    session.destroy(pair.publicKey)
  }
}
