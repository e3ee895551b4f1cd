import { randomBytes } from 'node:crypto'
import type { Hsm, SealedRecord } from '../../src/hsm/hsm.ts'
import { type KeyKind, tokenObjectKek, vaultKek } from '../../src/hsm/key-kind.ts'
import type { TokenObjectKey } from '../../src/hsm/made-key.ts'
import { objectPermitMs } from '../../src/hsm/object-permit.ts'
import { nonceBytes, provenanceNonce } from '../../src/hsm/provenance.ts'
import type { FieldsOf } from '../../src/hsm/record-layouts.ts'
import { sealedRecord } from './grant-kit.ts'
import type { TestToken } from './token.ts'

type SealingToken = Pick<TestToken, 'module' | 'softhsmConf' | 'pinFile'>

/** The keeper's permit for a key with residency `token`, changed by `edits`. */
export const objectPermit = (token: SealingToken, edits: Partial<FieldsOf<'object permit'>> = {}): SealedRecord =>
  sealedRecord(token, 'object permit', {
    id: provenanceNonce(randomBytes(nonceBytes), Date.now()),
    kek: tokenObjectKek,
    kind: 'aes256-gcm',
    purpose: Buffer.alloc(0),
    expiresAt: Date.now() + objectPermitMs,
    ...edits,
  })

interface Maker {
  readonly token: SealingToken
  readonly hsm: Pick<Hsm, 'createTokenObject'>
}

/** Makes an object that is in no record. */
export const madeObject = ({ token, hsm }: Maker, kind: KeyKind): Promise<TokenObjectKey> =>
  hsm.createTokenObject(kind, objectPermit(token, { kind }))

/** Makes a data key of no vault, or one for this purpose. */
export const madeVaultKey = ({ token, hsm }: Maker, purpose: Buffer = Buffer.alloc(0)): Promise<TokenObjectKey> =>
  hsm.createTokenObject('aes256-gcm', objectPermit(token, { kek: vaultKek, purpose }))
