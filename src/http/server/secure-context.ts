import { constants } from 'node:crypto'
import { createSecureContext, type SecureContextOptions, type SecureVersion } from 'node:tls'

/** A certificate with its intermediates, and its private key, both PEM. */
export interface Certificate {
  readonly certificate: string
  readonly key: string
}

/** What a listener that asks for client certificates needs beside. */
export interface ClientCertificates {
  /** PEM of the CAs to believe, and of those between them and the clients; without it none is believed. */
  readonly authorities: string | undefined
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
  clients?: ClientCertificates,
): SecureContextOptions {
  const options = {
    cert: certificate,
    key,
    minVersion,
    ciphers,
    honorCipherOrder: true,
    ...(clients && forClients(clients)),
  }
  createSecureContext(options)
  return options
}

/**
 * A resumed session would bring back the verdict on a certificate from before its revocation, and a renegotiation (TLS 1.2) another
 * certificate: there are neither. Without authorities no issuer is believed, and the CAs of the web least of all.
 */
function forClients({ authorities }: ClientCertificates): SecureContextOptions {
  return {
    ca: authorities ?? [],
    // A CA that is configured is believed, whether or not it has signed itself.
    allowPartialTrustChain: true,
    secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
  }
}
