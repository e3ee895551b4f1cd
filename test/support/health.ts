import { expect } from 'vitest'
import type { TestAppliance } from './appliance.ts'

/** Nothing that a client sent may have gone through to the inside: all processes live, and nothing unforeseen was met. */
export async function expectUnharmed(appliance: TestAppliance): Promise<void> {
  const client = await appliance.login()
  await client.must('GET', '/vault')
  expect(appliance.journal).not.toMatch(/"code":"internal"|the next one starts soon|token host ended|operation failed/)
}
