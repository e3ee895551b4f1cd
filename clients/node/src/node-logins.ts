import { constants, createPrivateKey, sign, type KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { formOf, type Login, type Person } from './logins.ts'
import { nodeTransport, type TlsOptions } from './node-transport.ts'
import type { AssertionSigner } from './service-logins.ts'

export interface CertificateOptions {
  /**
   * `cert` and `key` in PEM, and `ca` if the system does not trust the appliance's CA. Called at each login, so that a
   * renewed file is used.
   */
  readonly tls: () => TlsOptions
  /** Address of the listener for certificates (setting `smartcard.port`); by default port 8443 of the client's host. */
  readonly url?: string
}

const listener = ({ tls, url }: CertificateOptions): Pick<Login, 'address' | 'transport'> => ({
  address: (client) => url ?? Object.assign(new URL(client), { port: '8443' }),
  transport: () => nodeTransport(tls()),
})

/** Logs a person in with pass phrase and the certificate of a smartcard. */
export function smartcardLogin({ tls, url, ...person }: Person & CertificateOptions): Login {
  return {
    ...listener({ tls, ...(url === undefined ? {} : { url }) }),
    lifetime: 'idle',
    isRepeatable: true,
    body: () => Promise.resolve({ ...formOf(person), logintype: 'smartcard' }),
  }
}

/** Logs a service account in with a certificate. */
export function serviceCertificateLogin({
  account,
  ...certificate
}: { readonly account: string } & CertificateOptions): Login {
  return {
    ...listener(certificate),
    lifetime: 'fixed',
    isRepeatable: true,
    body: () => Promise.resolve({ logintype: 'service_certificate', account }),
  }
}

/** For `serviceFederatedLogin`: reads a token from a file that the platform renews, as Kubernetes does. */
export const tokenFile = (path: string) => async (): Promise<string> => (await readFile(path, 'utf8')).trim()

/** For `serviceJwtLogin`: signs with a private key in PEM. An RSA key signs RS256, or PS256 if `isPss` is set. */
export function keySigner(pem: string | Buffer, { isPss = false }: { readonly isPss?: boolean } = {}): AssertionSigner {
  const key = createPrivateKey(pem)
  const alg = algorithmOf(key, isPss)
  // The salt has the length of the hash (RFC 7518 §3.5).
  const pss = alg === 'PS256' ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 } : {}
  return {
    alg,
    sign: (input) =>
      new Uint8Array(sign(alg === 'EdDSA' ? null : 'sha256', input, { key, dsaEncoding: 'ieee-p1363', ...pss })),
  }
}

function algorithmOf(key: KeyObject, isPss: boolean): AssertionSigner['alg'] {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key
  if (type === 'ed25519') return 'EdDSA'
  if (type === 'ec' && details?.namedCurve === 'prime256v1') return 'ES256'
  if (type === 'rsa') return isPss ? 'PS256' : 'RS256'
  throw new TypeError(`A key of the type ${type ?? 'unknown'} signs no assertion: take Ed25519, EC with P-256, or RSA.`)
}
