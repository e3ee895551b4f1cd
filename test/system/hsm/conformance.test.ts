import pkcs11, { type Template } from 'pkcs11js'
import { afterEach, expect, it } from 'vitest'
import { withPin } from '../../support/pin-session.ts'
import { makeToken, type TestToken } from '../../support/token.ts'
import { type Hosts, makeShim, startHosts } from './hsm-kit.ts'

let hosts: Hosts | undefined

afterEach(async () => {
  await hosts?.close()
  hosts = undefined
})

/** The failed checks, with the sentence of a host about each. */
async function failures(token: TestToken, module?: string): Promise<Record<string, string>> {
  hosts = await startHosts({ token, ...(module === undefined ? {} : { hsm: { module } }) })
  const [status] = await hosts.hsm.status()
  return Object.fromEntries(
    Object.entries(status?.token?.conformance ?? { none: '' }).filter(([, result]) => result !== 'passed'),
  )
}

// CKA_WRAP_WITH_TRUSTED, CKA_ALLOWED_MECHANISMS, CKA_COPYABLE.
it.each([
  ['trusted-wrapping', '0x210', 'leaves the token without the SO PIN'],
  ['allowed-mechanisms', '0x40000600', 'was used by another'],
  ['copies-refused', '0x171', 'was copied'],
])('the probe finds a token that fails %s', async (check, attribute, what) => {
  const token = await makeToken()
  const shim = makeShim(token)
  shim.command(`C_GenerateKey forget ${attribute}`)
  expect(await failures(token, shim.module)).toEqual({ [check]: expect.stringContaining(what) })
})

it('the probe finds a KEK that leaves the token under any key', async () => {
  const token = await makeToken()
  withPin(token, ({ lib, session, objects }) => {
    const label = 'strongroom.kek.exportable.v1'
    for (const { handle } of objects.filter((one) => one.label === label)) lib.C_DestroyObject(session, handle)
    lib.C_GenerateKey(session, { mechanism: pkcs11.CKM_AES_KEY_GEN }, extractableKek(label))
  })
  expect(await failures(token)).toEqual({ 'keks-stay': 'any key wraps kek.exportable out of the token' })
})

function extractableKek(label: string): Template {
  return [
    { type: pkcs11.CKA_VALUE_LEN, value: 32 },
    { type: pkcs11.CKA_TOKEN, value: true },
    { type: pkcs11.CKA_PRIVATE, value: true },
    { type: pkcs11.CKA_EXTRACTABLE, value: true },
    { type: pkcs11.CKA_WRAP, value: true },
    { type: pkcs11.CKA_UNWRAP, value: true },
    { type: pkcs11.CKA_LABEL, value: label },
    { type: pkcs11.CKA_ID, value: Buffer.from(label) },
  ]
}
