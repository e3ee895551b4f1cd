import { allEndpoints, type EndpointDependencies } from '../../src/daemon/endpoints.ts'

/** All contracts, without a domain: only `run` uses it, which is never called here. */
export const contracts = allEndpoints({
  loginTypes: ['totp'],
  keyDefaults: { allowExport: false, allowBackup: true, allowDelete: true },
} as unknown as EndpointDependencies)
