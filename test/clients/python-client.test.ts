import { beforeAll, describe } from 'vitest'
import { applianceForTests } from '../support/for-tests.ts'
import { premisesOf, pythonTests } from './python-client-kit.ts'

const appliance = applianceForTests()
let premises: object
beforeAll(async () => {
  premises = await premisesOf(appliance)
})

describe('the client for Python', () => {
  pythonTests('test_calls', () => premises)
})
