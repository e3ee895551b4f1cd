import pkcs11, { type AesGCM, type Mechanism, type RsaOAEP } from 'pkcs11js'

/** AES-GCM sizes (NIST SP 800-38D §5.2.1). A token would accept others; Strongroom does not. */
export const gcmIvBytes = 12
export const gcmTagBytes = 16

/** AES key wrap (RFC 3394), CKM_AES_KEY_WRAP 0x2109: the same in every token. Key lengths are multiples of 8 bytes. */
export const keyWrap: Mechanism = { mechanism: 0x2109 }
/** AES key wrap with padding (RFC 5649) in SoftHSM2 (CKM_AES_KEY_WRAP_PAD). */
const keyWrapPad = 0x210a
/** The same in PKCS#11 3.0 (CKM_AES_KEY_WRAP_KWP). In tokens that have it, 0x210A is another padding. */
const keyWrapKwp = 0x210b

export const hmacSha256: Mechanism = { mechanism: pkcs11.CKM_SHA256_HMAC }
export const ecdsa: Mechanism = { mechanism: pkcs11.CKM_ECDSA }
/** CKM_EDDSA of PKCS#11 3.0 (RFC 8032). */
export const eddsa: Mechanism = { mechanism: 0x1057 }
export const rsaPkcs: Mechanism = { mechanism: pkcs11.CKM_RSA_PKCS }
export const rsaPss: Mechanism = { mechanism: pkcs11.CKM_RSA_PKCS_PSS }
export const aesKeyGen: Mechanism = { mechanism: pkcs11.CKM_AES_KEY_GEN }
export const secretKeyGen: Mechanism = { mechanism: pkcs11.CKM_GENERIC_SECRET_KEY_GEN }
export const ecKeyPairGen: Mechanism = { mechanism: pkcs11.CKM_EC_KEY_PAIR_GEN }
/** CKM_EC_EDWARDS_KEY_PAIR_GEN of PKCS#11 3.0. */
export const edwardsKeyPairGen: Mechanism = { mechanism: 0x1055 }
export const rsaKeyPairGen: Mechanism = { mechanism: pkcs11.CKM_RSA_PKCS_KEY_PAIR_GEN }

/** AES-GCM with a 96-bit IV and a 128-bit tag. Every known token reads the v2.40 layout of the parameter. */
export function gcm(iv: Buffer, aad: Buffer | undefined): Mechanism {
  const parameter: AesGCM & { iv: Buffer } = {
    type: pkcs11.CK_PARAMS_AES_GCM_v240,
    iv,
    ivBits: gcmIvBytes * 8,
    tagBits: gcmTagBytes * 8,
  }
  if (aad !== undefined && aad.length > 0) parameter.aad = aad
  return { mechanism: pkcs11.CKM_AES_GCM, parameter }
}

/** CKZ_DATA_SPECIFIED: the parameter gives the label, which is empty here. */
const labelSource = 1

/**
 * RSA-OAEP with SHA-1 and MGF1-SHA-1, without a label: the default of CKM_RSA_AES_KEY_WRAP, and the only variant that
 * SoftHSM2 supports.
 */
export const oaep: Mechanism & { parameter: RsaOAEP } = {
  mechanism: pkcs11.CKM_RSA_PKCS_OAEP,
  parameter: {
    type: pkcs11.CK_PARAMS_RSA_OAEP,
    hashAlg: pkcs11.CKM_SHA_1,
    mgf: pkcs11.CKG_MGF1_SHA1,
    source: labelSource,
    sourceData: Buffer.alloc(0),
  },
}

/** AES key wrap with padding (RFC 5649) under the number that the token uses; undefined where it has none. */
export function paddedWrap(mechanisms: ReadonlySet<number>): Mechanism | undefined {
  if (mechanisms.has(keyWrapKwp)) return { mechanism: keyWrapKwp }
  return mechanisms.has(keyWrapPad) ? { mechanism: keyWrapPad } : undefined
}

const names = new Map<number, string>([
  [0x1055, 'EC_EDWARDS_KEY_PAIR_GEN'],
  [0x1057, 'EDDSA'],
  [0x2109, 'AES_KEY_WRAP'],
  [keyWrapPad, 'AES_KEY_WRAP_PAD'],
  [keyWrapKwp, 'AES_KEY_WRAP_KWP'],
])
for (const [name, value] of Object.entries(pkcs11)) {
  if (name.startsWith('CKM_') && typeof value === 'number' && !names.has(value)) names.set(value, name.slice(4))
}

/** The name without `CKM_`, or a hexadecimal number for an unknown mechanism. */
export function mechanismName(mechanism: number): string {
  return names.get(mechanism) ?? `0x${mechanism.toString(16)}`
}
