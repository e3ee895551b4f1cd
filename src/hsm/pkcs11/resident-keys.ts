import { randomBytes } from 'node:crypto'
import pkcs11 from 'pkcs11js'
import { Fault } from '../../fault.ts'
import { type AnyKind, type ResidentKey, residentKek, vaultKek } from '../hsm.ts'
import { type AnyKindRow, rowOf } from './any-kinds.ts'
import { changing } from './directory-sync.ts'
import { residentTemplate } from './key-kinds.ts'
import { requireUse } from './offers.ts'
import { residentPrivateTemplate } from './pair-kinds.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'
import { newbornPublicTemplate, publicKeyOf } from './public-keys.ts'
import { lastingTemplate, noticeChanges, residentLabel, vaultKeyLabel } from './root-objects.ts'
import type { Token } from './token.ts'

const idBytes = 16

/**
 * Makes a key that never leaves the token. On the disk when this returns, where `tokenDirectory` names the folder of a software token.
 * A repeat leaves an unused key behind, no more.
 */
export function createResident(token: Token, kind: AnyKind, tokenDirectory: string | undefined): ResidentKey {
  return changing(tokenDirectory, () =>
    token.run((connection) => {
      requireUse(connection, kind)
      const id = randomBytes(idBytes)
      noticeChanges(connection.session)
      const publicKey = makeResident(connection.keeper, rowOf(kind), id)
      return { id: id.toString('hex'), publicKey }
    }),
  )
}

/** The public half of a pair. */
export function makeResident(session: Pkcs11Session, row: AnyKindRow, id: Buffer): Buffer | undefined {
  const lasting = lastingTemplate(residentLabel, id)
  if (row.serves !== 'sign') {
    session.generate(row.generation, [...residentTemplate(row), ...lasting])
    return undefined
  }
  const privateKey = [...residentPrivateTemplate(row), ...lasting]
  const pair = session.generatePair(row.generation, newbornPublicTemplate(row), privateKey)
  try {
    return publicKeyOf(session, pair.publicKey, row)
  } finally {
    session.destroy(pair.publicKey)
  }
}

/** A key that is not there is no error. */
export function destroyResident(token: Token, id: string, tokenDirectory: string | undefined): void {
  changing(tokenDirectory, () =>
    token.run(({ session }) => {
      for (const handle of find(session, residentLabel, Buffer.from(id, 'hex'))) session.destroy(handle)
    }),
  )
}

/** The CKA_LABEL of keys whose record names this in the place of a KEK; undefined where it is a KEK indeed. */
export function residesUnder(kek: string): string | undefined {
  if (kek === residentKek) return residentLabel
  return kek === vaultKek ? vaultKeyLabel : undefined
}

/** Throws `hsm.rejected` where the token has no such key of this type. */
export function findResident(session: Pkcs11Session, label: string, id: Buffer, row: AnyKindRow): KeyHandle {
  const [found] = id.length === idBytes ? find(session, label, id, row) : []
  if (found === undefined) throw new Fault('hsm.rejected', 'The token has no such key: it was destroyed.')
  return found
}

function find(session: Pkcs11Session, label: string, id: Buffer, row?: AnyKindRow): KeyHandle[] {
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
