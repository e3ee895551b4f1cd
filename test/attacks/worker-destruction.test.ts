import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeRecord } from '../../src/hsm/key-record.ts'
import { referenceFields } from '../../src/hsm/protocol/batch-frame.ts'
import { TestAppliance } from '../support/appliance.ts'
import type { FrameAnswer } from '../support/frame-caller.ts'
import { batches, createWorkerCalls, refusalOf } from '../support/recombination.ts'
import { spoilsOf, type Spoils } from '../support/worker-spoils.ts'

/**
 * Code in a worker, with the sockets, every record of the database and the sessions of members that pass: it wants keys
 * to outlive their vault, or to end before they are deleted.
 */
let appliance: TestAppliance
let victim: Spoils
let calls: ReturnType<typeof createWorkerCalls>

beforeAll(async () => {
  appliance = await TestAppliance.start()
  victim = await spoilsOf(appliance, {})
  calls = createWorkerCalls(appliance)
}, 60_000)
afterAll(() => appliance.close())

const refusalsOf = (answers: readonly FrameAnswer[]) => answers.map((answer) => refusalOf(answer) ?? 'it was done')

describe('the key of a vault', () => {
  const one = Buffer.alloc(4)
  const two = Buffer.from([0, 0, 0, 0, 1, 0, 0, 0])

  it.each(['key version', 'backup'])(
    'takes the outer wrapping of a %s off for no member, and makes none',
    async (content) => {
      const { cipher, references } = victim
      const { identity, vault } = cipher.key
      const blob = (content === 'backup' ? cipher.latest.backupBlob : cipher.latest.blob) ?? Buffer.alloc(0)
      const aad = encodeRecord([content, identity, vault])
      const nothing = Buffer.alloc(0)
      const [vaultKey, named] = [referenceFields(references.vaultKey), referenceFields(references.cipher)]
      const answers = [
        await calls.host('decrypt', [...vaultKey, blob, aad]),
        ...(await calls.each('decryptMany', batches([vaultKey], one, [blob, aad]))),
        ...(await calls.each('rewrapMany', batches([[...vaultKey]], Buffer.alloc(8), [blob, aad, nothing]))),
        await calls.host('rewrapMany', [2, ...vaultKey, ...named, two, blob, aad, nothing]),
        await calls.host('encrypt', [...vaultKey, blob, aad]),
        await calls.host('encryptRandom', [...vaultKey, 32, aad]),
        ...(await calls.each('encryptMany', batches([vaultKey], one, [blob, aad]))),
      ]
      expect(refusalsOf(answers)).toEqual(answers.map(() => 'hsm.rejected'))
    },
  )

  it.each([
    ['of none', Buffer.alloc(0)],
    ['of another record', encodeRecord(['object field 2', 1])],
    ['that is no record', Buffer.from('object field')],
  ])('encrypts nothing in the name %s', async (_which, aad) => {
    const answers = [await calls.host('encrypt', [...referenceFields(victim.references.vaultKey), 'AAAA', aad])]
    expect(refusalsOf(answers)).toEqual(['hsm.rejected'])
  })
})
