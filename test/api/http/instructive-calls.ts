import { importBody } from '../transparent/key-kit.ts'
import type { Arrange } from '../fields/good-calls.ts'
import type { Premises } from '../fields/premises.ts'

const text = (plain: string): string => Buffer.from(plain).toString('base64')
const plaintext = text('4111 1111 1111 1111')
/** Identifies the row to which the ciphertext belongs. */
const aad = text('customer=42')

async function encrypted(at: Premises): Promise<string> {
  const path = `/transparent/${at.vaultId}/encrypt/known`
  return String((await at.told('POST', path, { plaintext, aad }))['ciphertext'])
}

const rowOf = (customer: string) => ({ aad: text(`customer=${customer}`), reference: customer })

/**
 * Two ciphertexts of one row. The second is sent with the aad of another row and refused, so that the answer shows a
 * failed item.
 */
async function rows(at: Premises): Promise<object[]> {
  return [
    { ciphertext: await encrypted(at), ...rowOf('42') },
    { ciphertext: await encrypted(at), ...rowOf('43') },
  ]
}

/**
 * Calls as a developer would make them, by operation, for those whose form in `good-calls.ts` is less instructive. The
 * suffix `.many` is for calls with many items.
 */
export const instructiveCalls: Readonly<Record<string, Arrange>> = {
  'audit.list': async ({ appliance }) => {
    const client = await appliance.login(await appliance.addUser(['read', 'createVault', 'audit', 'active']))
    const { VAULT } = await client.must('POST', '/vault', { vaultname: 'Web shop' })
    const [{ id }] = VAULT as [{ id: string }]
    await client.must('POST', `/transparent/${id}/encrypt/orders`, { plaintext })
    return { client, members: { vaultid: id, operation: 'transparent.*', limit: '10' } }
  },
  'vault.create': () => ({ members: { vaultname: 'Web shop', policy: '7', description: 'Keys of the web shop' } }),
  'transparent.encrypt': ({ known }) => ({ params: known, members: { plaintext, aad } }),
  'transparent.decrypt': async (at) => ({ params: at.known, members: { ciphertext: await encrypted(at), aad } }),
  'transparent.rewrap': async (at) => ({ params: at.known, members: { ciphertext: await encrypted(at), aad } }),
  'transparent.encrypt.many': ({ known }) => ({
    params: known,
    members: {
      batch_input: [
        { plaintext, ...rowOf('42') },
        { plaintext: text('5500 0000 0000 0004'), ...rowOf('43') },
      ],
    },
  }),
  'transparent.decrypt.many': async (at) => ({ params: at.known, members: { batch_input: await rows(at) } }),
  'transparent.rewrap.many': async (at) => ({ params: at.known, members: { batch_input: await rows(at) } }),
  'transparent.datakey': ({ known }) => ({ params: { ...known, type: 'plaintext' }, members: { bits: 256, aad } }),
  'transparent.sign': async (at) => ({
    params: await at.newKey({ type: 'ecdsa-p256' }),
    members: { input: text('An invoice'), marshaling_algorithm: 'jws' },
  }),
  'transparent.key.list': ({ vaultId }) => ({ params: { vaultid: vaultId } }),
  'transparent.key.create': (at) => ({
    params: at.freeName(),
    members: { type: 'aes256-gcm96', info: 'Card numbers of orders' },
  }),
  'transparent.import.job': (at) => ({
    params: at.freeName(),
    members: { type: 'aes256-gcm96', info: 'Card numbers of orders' },
  }),
  'transparent.import': async (at) => {
    const params = at.freeName()
    const body = await importBody(at.admin, at.vaultId, params.name, Buffer.alloc(32, 7), { type: 'aes256-gcm96' })
    return { params, members: body }
  },
}
