export { keySigner, serviceCertificateLogin, smartcardLogin, tokenFile } from './node-logins.ts'
export type { CertificateOptions } from './node-logins.ts'
export { nodeTransport } from './node-transport.ts'
export type { NodeTransportOptions, OnProgress, TlsOptions } from './node-transport.ts'
