import { randomBytes } from 'node:crypto'
import type { Template } from 'pkcs11js'
import type { MadeObject } from '../made-key.ts'
import type { KeyKind } from '../key-kind.ts'
import { withDirectorySync } from './directory-sync.ts'
import { type KeyRow, rowOf } from './key-kinds.ts'
import { generatedPublicTemplate, tokenObjectPrivateTemplate, tokenObjectTemplate } from './key-templates.ts'
import { requireSupport } from './kind-support.ts'
import { makeLimited, mechanismsOf } from './object-limits.ts'
import type { Pkcs11Session } from './pkcs11-session.ts'
import { publicKeyOf } from './public-keys.ts'
import type { Token } from './token-link.ts'
import {
  idBytes,
  lastingTemplate,
  locked,
  noticeChanges,
  tokenObjectLabel,
  trustedWrapsOnly,
  vaultKeyLabel,
} from './token-objects.ts'

/**
 * Generates a key that never leaves the token. With `tokenDirectory`, the folder of a software token, it is on the disk
 * when this returns. A repetition leaves an unused key in the token and does no other harm.
 */
export function createTokenObject(token: Token, kind: KeyKind, tokenDirectory: string | undefined): MadeObject {
  return create(token, kind, tokenObjectLabel, tokenDirectory)
}

/**
 * Generates the data key of a vault as `createTokenObject` does. The key may move to another token where `hsm.movable`
 * allows it. Returns its CKA_ID in hexadecimal.
 */
export function createVaultKey(token: Token, { tokenDirectory, movable }: VaultKeyOptions): string {
  return create(token, 'aes256-gcm', vaultKeyLabel, tokenDirectory, movable ? trustedWrapsOnly : locked).id
}

export interface VaultKeyOptions {
  readonly tokenDirectory?: string | undefined
  readonly movable: boolean
}

function create(
  token: Token,
  kind: KeyKind,
  label: string,
  tokenDirectory: string | undefined,
  leaving: Template = locked,
): MadeObject {
  return withDirectorySync(tokenDirectory, () =>
    token.run((connection) => {
      requireSupport(connection, kind)
      const id = randomBytes(idBytes)
      noticeChanges(connection.session)
      const publicKey = generateLasting(connection.session, rowOf(kind), lastingTemplate(label, id, leaving))
      return { id: id.toString('hex'), publicKey }
    }),
  )
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
