import { afterAll, beforeAll, describe } from 'vitest'
import { TestAppliance } from '../support/appliance.ts'
import { premisesOf, pythonTests } from './python-client-kit.ts'

let appliance: TestAppliance
let premises: object
beforeAll(async () => {
  appliance = await TestAppliance.shared()
  premises = await premisesOf(appliance)
})
afterAll(() => appliance.close())

describe('the client for Python', () => {
  pythonTests('test_calls', () => premises)
})
