import { afterAll, beforeAll, describe } from 'vitest'
import { TestAppliance } from '../support/appliance.ts'
import { commonPki } from '../support/pki.ts'
import { premisesOf, pythonTests } from './python-client-kit.ts'

let appliance: TestAppliance
let premises: object
beforeAll(async () => {
  appliance = await TestAppliance.shared()
  const { certificate, key } = commonPki()
  premises = { ...(await premisesOf(appliance)), server: { certificate, key } }
})
afterAll(() => appliance.close())

describe('the client for Python', () => {
  pythonTests('test_network', () => premises)
})
