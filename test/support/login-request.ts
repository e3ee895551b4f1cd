import { hashRaw } from '@node-rs/argon2'
import { sealedApplicationKey } from '../../src/features/auth/application-key.ts'
import { findUserById, type User } from '../../src/features/users/records.ts'
import { sealedUser } from '../../src/features/users/user-seals.ts'
import type { LoginRequest } from '../../src/hsm/login-request.ts'
import type { TestAppliance, TestUser } from './appliance.ts'

/** The login request of a worker that has captured the user's pass phrase, with this second factor. */
export async function loginRequest(
  { store, services, applicationKey: text }: TestAppliance,
  { id, passphrase }: Pick<TestUser, 'id' | 'passphrase'>,
  factor: LoginRequest['factor'],
): Promise<LoginRequest> {
  const row = await findUserById(store.read, id)
  const key = await services.applicationKeys.find(text)
  if (row === null || key === undefined) throw new Error('no user or no application key')
  return {
    applicationKey: sealedApplicationKey(key),
    applicationKeyText: Buffer.from(text),
    user: sealedUser(row),
    hash: await hashOf(passphrase, row),
    factor,
  }
}

/** The argon2id hash of a pass phrase, with the salt and cost of the user. */
function hashOf(passphrase: string, { passphraseSalt: salt, passphraseCost }: User): Promise<Buffer> {
  const [memoryCost = 0, timeCost = 0] = passphraseCost.match(/\d+/g)?.map(Number) ?? []
  return hashRaw(passphrase, { memoryCost, timeCost, parallelism: 1, outputLen: 32, salt })
}
