/** The purpose of a key type. */
export type TypePurpose = 'encryption' | 'signing' | 'hmac'
/** The group of types that share an explanation. */
export type TypeFamily = 'gcm' | 'stream' | 'hmac' | 'ed25519' | 'ecdsa' | 'rsa'

const named: Readonly<Record<string, string>> = {
  'aes128-gcm96': 'AES-128-GCM',
  'aes256-gcm96': 'AES-256-GCM',
  'aes128-ctr': 'AES-128-CTR',
  'aes256-ctr': 'AES-256-CTR',
  'aes128-ofb': 'AES-128-OFB',
  'aes256-ofb': 'AES-256-OFB',
  'hmac-sha256': 'HMAC-SHA-256',
  'ecdsa-p256': 'ECDSA P-256',
  'ecdsa-p384': 'ECDSA P-384',
  ed25519: 'Ed25519',
  'rsa-2048': 'RSA 2048',
  'rsa-3072': 'RSA 3072',
  'rsa-4096': 'RSA 4096',
}

/** The usual name of a type, such as AES-256-GCM. */
export const typeName = (type: string): string => named[type] ?? type

export function familyOf(type: string): TypeFamily {
  if (type.startsWith('aes')) return type.includes('gcm') ? 'gcm' : 'stream'
  if (type.startsWith('rsa')) return 'rsa'
  if (type.startsWith('hmac')) return 'hmac'
  return type === 'ed25519' ? 'ed25519' : 'ecdsa'
}

export function purposeOf(type: string): TypePurpose {
  const family = familyOf(type)
  if (family === 'hmac') return 'hmac'
  return family === 'gcm' || family === 'stream' ? 'encryption' : 'signing'
}

/** The type that is preselected for each purpose. */
export const usualTypes: Readonly<Record<TypePurpose, string>> = {
  encryption: 'aes256-gcm96',
  signing: 'ecdsa-p256',
  hmac: 'hmac-sha256',
}
