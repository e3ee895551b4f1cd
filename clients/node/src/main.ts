export { createClient } from './client.ts'
export type { AnswerOf, CallOptions, Client, ClientOptions, InputOf } from './client.ts'
export { addresses, errorCatalogue } from './api.ts'
export type { Operations } from './api.ts'
export type { Bytes } from './base64.ts'
export {
  AuthenticationError,
  ConflictError,
  NetworkError,
  NotFoundError,
  PermissionError,
  ProtocolError,
  StrongroomError,
  ThrottledError,
  UnavailableError,
} from './errors.ts'
export type { ErrorCode } from './errors.ts'
export type { AadOptions, DataKey, DataKeyOptions, EncryptOptions, Key, RewrapOptions, SignOptions } from './key.ts'
export { otpLogin, totpLogin } from './logins.ts'
export type { Login, Person } from './logins.ts'
export { repeatable } from './retry.ts'
export { cryptoKeySigner, serviceFederatedLogin, serviceJwtLogin, serviceStaticLogin } from './service-logins.ts'
export type { AssertionAlgorithm, AssertionSigner } from './service-logins.ts'
export type { Source, StreamOptions } from './streams.ts'
export { fetchTransport } from './transport.ts'
export type { Transport, TransportAnswer, TransportRequest } from './transport.ts'
