import { beforeAll, describe } from 'vitest'
import { applianceForTests } from '../support/for-tests.ts'
import { commonPki } from '../support/pki.ts'
import { premisesOf, pythonTests } from './python-client-kit.ts'

const appliance = applianceForTests()
let premises: object
beforeAll(async () => {
  const { certificate, key } = commonPki()
  premises = { ...(await premisesOf(appliance)), server: { certificate, key } }
})

describe('the client for Python', () => {
  pythonTests('test_network', () => premises)
})
