import { timingSafeEqual } from 'node:crypto'
import pkcs11, { type Mechanism, type RsaPSS } from 'pkcs11js'
import { Fault } from '../../fault.ts'
import type { Hash, SignatureScheme } from '../key-kind.ts'
import type { KeyReference } from '../hsm.ts'
import type { KeyPairRow, RsaRow } from './pair-kinds.ts'
import type { Token } from './token-link.ts'

/** See `Hsm.sign`. */
export function sign(token: Token, key: KeyReference, scheme: SignatureScheme, input: Buffer): Buffer {
  return token.run(({ session, keys }) =>
    keys.usePair(key, 'private', (handle, row) => {
      const { mechanism, data } = signingCall(row, scheme, input)
      const signature = session.sign(mechanism, handle, data, Buffer.alloc(row.signatureBytes))
      if (signature.length !== row.signatureBytes)
        throw new Fault('hsm.unavailable', 'The token made a signature of a wrong length.')
      return signature
    }),
  )
}

/** See `Hsm.verifySignature`. */
export function verifySignature(
  token: Token,
  key: KeyReference,
  scheme: SignatureScheme,
  input: Buffer,
  signature: Buffer,
): boolean {
  return token.run(({ session, keys }) =>
    keys.usePair(key, 'public', (handle, row) => {
      const { mechanism, data } = signingCall(row, scheme, input)
      return signature.length === row.signatureBytes && session.verify(mechanism, handle, data, signature)
    }),
  )
}

export function hmac(token: Token, key: KeyReference, data: Buffer, use: 'hmac' | 'verify' = 'hmac'): Buffer {
  return token.run(({ session, keys }) =>
    keys.use(key, use, 'hmac', (handle, row) =>
      session.sign(row.mechanism, handle, data, Buffer.alloc(row.outputBytes)),
    ),
  )
}

export function verifyHmac(token: Token, key: KeyReference, data: Buffer, mac: Buffer): boolean {
  const expected = hmac(token, key, data, 'verify')
  return mac.length === expected.length && timingSafeEqual(mac, expected)
}

/**
 * Mechanism and data for signing `input`, or for verifying a signature of it.
 * @throws Fault `hsm.rejected` for a digest of another length than that of the hash
 */
export function signingCall(
  row: KeyPairRow,
  scheme: SignatureScheme,
  input: Buffer,
): { mechanism: Mechanism; data: Buffer } {
  if (row.family === 'eddsa') return { mechanism: row.signing, data: input }
  const { digestBytes, digestInfo } = hashRows[scheme.hash]
  if (input.length !== digestBytes)
    throw new Fault('hsm.rejected', `A digest of ${scheme.hash} has ${digestBytes} bytes, not ${input.length}.`)
  if (row.family !== 'rsa') return { mechanism: row.signing, data: input }
  if (scheme.padding === 'pkcs1v15') return { mechanism: row.signing, data: Buffer.concat([digestInfo, input]) }
  return { mechanism: pss(row, scheme), data: input }
}

function pss(row: RsaRow, { hash, saltBytes }: SignatureScheme): Mechanism {
  const { digestBytes, hashAlg, mgf } = hashRows[hash]
  const saltLen = saltBytes ?? digestBytes
  // RFC 8017 §9.1.1: the encoded message contains digest, salt and two more bytes.
  const longest = row.signatureBytes - digestBytes - 2
  if (!Number.isInteger(saltLen) || saltLen < 0 || saltLen > longest)
    throw new Fault('hsm.rejected', `A salt has 0 to ${longest} bytes here.`)
  const parameter: RsaPSS = { type: pkcs11.CK_PARAMS_RSA_PSS, hashAlg, mgf, saltLen }
  return { mechanism: pkcs11.CKM_RSA_PKCS_PSS, parameter }
}

interface HashRow {
  readonly digestBytes: number
  readonly hashAlg: number
  readonly mgf: number
  /** The DER of DigestInfo before the digest (RFC 8017 §9.2, note 1). */
  readonly digestInfo: Buffer
}

const hashRows: Readonly<Record<Hash, HashRow>> = {
  sha256: {
    digestBytes: 32,
    hashAlg: pkcs11.CKM_SHA256,
    mgf: pkcs11.CKG_MGF1_SHA256,
    digestInfo: Buffer.from('3031300d060960864801650304020105000420', 'hex'),
  },
  sha384: {
    digestBytes: 48,
    hashAlg: pkcs11.CKM_SHA384,
    mgf: pkcs11.CKG_MGF1_SHA384,
    digestInfo: Buffer.from('3041300d060960864801650304020205000430', 'hex'),
  },
  sha512: {
    digestBytes: 64,
    hashAlg: pkcs11.CKM_SHA512,
    mgf: pkcs11.CKG_MGF1_SHA512,
    digestInfo: Buffer.from('3051300d060960864801650304020305000440', 'hex'),
  },
}
