import { randomBytes } from 'node:crypto'
import pkcs11 from 'pkcs11js'
import { Fault } from '../../fault.ts'
import { type KeyKind, tokenObjectKek, vaultKek } from '../key-kind.ts'
import type { TokenObjectKey } from '../hsm.ts'
import { type KeyRow, rowOf } from './any-kinds.ts'
import { withDirectorySync } from './directory-sync.ts'
import { tokenObjectTemplate } from './key-kinds.ts'
import { requireSupport } from './offers.ts'
import { tokenObjectPrivateTemplate } from './pair-kinds.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'
import { generatedPublicTemplate, publicKeyOf } from './public-keys.ts'
import { lastingTemplate, noticeChanges, tokenObjectLabel, vaultKeyLabel } from './root-objects.ts'
import type { Token } from './token.ts'

const idBytes = 16

/**
 * Makes a key that never leaves the token. On the disk when this returns, where `tokenDirectory` names the folder of a software token.
 * A repeat leaves an unused key behind, no more.
 */
export function createTokenObject(token: Token, kind: KeyKind, tokenDirectory: string | undefined): TokenObjectKey {
  return withDirectorySync(tokenDirectory, () =>
    token.run((connection) => {
      requireSupport(connection, kind)
      const id = randomBytes(idBytes)
      noticeChanges(connection.session)
      const publicKey = generateTokenObject(connection.keySession, rowOf(kind), id)
      return { id: id.toString('hex'), publicKey }
    }),
  )
}

/** The public half of a pair. */
export function generateTokenObject(session: Pkcs11Session, row: KeyRow, id: Buffer): Buffer | undefined {
  const lasting = lastingTemplate(tokenObjectLabel, id)
  if (row.serves !== 'sign') {
    session.generate(row.generation, [...tokenObjectTemplate(row), ...lasting])
    return undefined
  }
  const privateKey = [...tokenObjectPrivateTemplate(row), ...lasting]
  const pair = session.generatePair(row.generation, generatedPublicTemplate(row), privateKey)
  try {
    return publicKeyOf(session, pair.publicKey, row)
  } finally {
    session.destroy(pair.publicKey)
  }
}

/** A key that is not there is no error. */
export function destroyTokenObject(token: Token, id: string, tokenDirectory: string | undefined): void {
  withDirectorySync(tokenDirectory, () =>
    token.run(({ session }) => {
      for (const handle of findObjects(session, tokenObjectLabel, Buffer.from(id, 'hex'))) session.destroy(handle)
    }),
  )
}

/** The CKA_LABEL of keys whose record names this in the place of a KEK; undefined where it is a KEK indeed. */
export function tokenObjectLabelOf(kek: string): string | undefined {
  if (kek === tokenObjectKek) return tokenObjectLabel
  return kek === vaultKek ? vaultKeyLabel : undefined
}

/** Throws `hsm.rejected` where the token has no such key of this type. */
export function findTokenObject(session: Pkcs11Session, label: string, id: Buffer, row: KeyRow): KeyHandle {
  const [found] = id.length === idBytes ? findObjects(session, label, id, row) : []
  if (found === undefined) throw new Fault('hsm.rejected', 'The token has no such key: it was destroyed.')
  return found
}

function findObjects(session: Pkcs11Session, label: string, id: Buffer, row?: KeyRow): KeyHandle[] {
  const objectClass = row?.serves === 'sign' ? pkcs11.CKO_PRIVATE_KEY : pkcs11.CKO_SECRET_KEY
  return session.find([
    { type: pkcs11.CKA_TOKEN, value: true },
    { type: pkcs11.CKA_LABEL, value: label },
    { type: pkcs11.CKA_ID, value: id },
    ...(row === undefined
      ? []
      : [
          { type: pkcs11.CKA_CLASS, value: objectClass },
          { type: pkcs11.CKA_KEY_TYPE, value: row.keyType },
        ]),
  ])
}
