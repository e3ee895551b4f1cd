import type { AnyEndpoint } from './api/endpoint.ts'
import type { Login } from './login/login.ts'
import { logIn } from './login/routes/log-in.ts'
import { loginTypes } from './login/routes/login-types.ts'
import type { OtpKind } from './otp/records.ts'
import { listPolicies } from './policy/routes/list-policies.ts'
import { check } from './session/routes/check.ts'
import { logout } from './session/routes/logout.ts'
import type { Sessions } from './session/session.ts'
import type { Keyring } from './transparent/keyring.ts'
import { createKey, type KeyDefaults } from './transparent/routes/create-key.ts'
import { decrypt } from './transparent/routes/decrypt.ts'
import { encrypt } from './transparent/routes/encrypt.ts'
import { readKey } from './transparent/routes/read-key.ts'
import { rotateKey } from './transparent/routes/rotate-key.ts'
import { createVault } from './vault/routes/create-vault.ts'
import { listMembers } from './vault/routes/list-members.ts'
import { listVaults } from './vault/routes/list-vaults.ts'
import type { Vaults } from './vault/vault.ts'

export interface EndpointDependencies {
  readonly login: Login
  readonly loginTypes: readonly OtpKind[]
  readonly sessions: Sessions
  readonly vaults: Vaults
  readonly keyring: Keyring
  readonly keyDefaults: KeyDefaults
}

/** The table of contents of the interface: every call there is. */
export function allEndpoints(on: EndpointDependencies): readonly AnyEndpoint[] {
  return [
    logIn(on.login, on.sessions),
    logout(on.sessions),
    check('POST'),
    check('GET'),
    loginTypes(on.loginTypes),

    createVault(on.vaults),
    listVaults(on.vaults),
    listMembers(on.vaults),
    listPolicies(),

    createKey(on.keyring, on.keyDefaults),
    readKey(on.keyring),
    rotateKey(on.keyring),
    encrypt(on.keyring, on.keyDefaults),
    decrypt(on.keyring),
  ]
}
