import { allEndpoints, type EndpointDependencies } from '../../src/daemon/endpoints.ts'

/** Every contract, over no domain at all: that is named only inside `run`, which nobody calls here. */
export const contracts = allEndpoints({
  loginTypes: ['totp'],
  keyDefaults: { allowExport: false, allowBackup: true, allowDelete: true },
} as unknown as EndpointDependencies)
