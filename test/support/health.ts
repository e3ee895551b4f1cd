import { expect } from 'vitest'
import type { TestAppliance } from './appliance.ts'

/** Expects that no input of a client did harm: all processes live, and no unexpected error was logged. */
export async function expectUnharmed(appliance: TestAppliance): Promise<void> {
  const client = await appliance.login()
  await client.must('GET', '/vault')
  expect(appliance.journal).not.toMatch(/"code":"internal"|the next one starts soon|token host ended|operation failed/)
}
