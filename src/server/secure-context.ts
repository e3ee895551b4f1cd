import { createSecureContext } from 'node:tls'
import type { SecureContextOptions, SecureVersion } from 'node:tls'

/** A certificate with its intermediates, and its private key, both PEM. */
export interface Certificate {
  readonly certificate: string
  readonly key: string
}

/** Forward secrecy and authenticated encryption only, the fast AES first where the processor has it (Mozilla's "intermediate" list without DHE). */
const ciphers = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':')

/** What node:tls needs to present this certificate. Throws when certificate and key are unusable or belong to different pairs. */
export function secureContextOptions(
  { certificate, key }: Certificate,
  minVersion: SecureVersion,
): SecureContextOptions {
  const options = { cert: certificate, key, minVersion, ciphers, honorCipherOrder: true }
  createSecureContext(options)
  return options
}
