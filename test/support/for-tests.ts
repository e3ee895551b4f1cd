import { afterAll, beforeAll } from 'vitest'
import type { Hsm } from '../../src/hsm/hsm.ts'
import { TestAppliance } from './appliance.ts'
import { makeVault, type TestVault } from './vault.ts'
import { workerHsm } from './worker-hsm.ts'

/**
 * The appliance of a test file, or of a `describe`: started before the first test there, and closed after the last. It
 * is not used before, and its settings are read only then.
 */
export function applianceForTests(start = (): Promise<TestAppliance> => TestAppliance.shared()): TestAppliance {
  const appliance = TestAppliance.toCome()
  beforeAll(async () => appliance.become(await start()))
  afterAll(() => appliance.close())
  return appliance
}

/** A vault for the same tests. */
export const vaultForTests = (appliance: TestAppliance, vaultname?: string): TestVault =>
  filledBeforeTests(() => makeVault(appliance, vaultname))

/** The `workerHsm` of the same tests. */
export function workerForTests(appliance: TestAppliance): Hsm {
  const worker = filledBeforeTests(() => workerHsm(appliance))
  afterAll(() => worker.close())
  return worker
}

function filledBeforeTests<T extends object>(make: () => T | Promise<T>): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- beforeAll fills it in
  const filled = {} as T
  beforeAll(async () => void Object.assign(filled, await make()))
  return filled
}
