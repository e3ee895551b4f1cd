import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { KeyReference } from '../../src/hsm/hsm.ts'
import { batchFields, mostInFrame } from '../../src/hsm/protocol/batch-frame.ts'
import { referenceFields } from '../../src/hsm/protocol/fields.ts'
import { createFrameReader, operations } from '../../src/hsm/protocol/frame.ts'
import { TestAppliance } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import { ask } from '../support/frame-caller.ts'
import { frameOf } from '../support/frame-mutation.ts'
import { spoilsOf, type Spoils } from '../support/worker-spoils.ts'

/** The attacker runs code in a worker, and keeps a token host busy, so that it answers no other worker. */
const appliance = applianceForTests(() => TestAppliance.own())
let spoils: Spoils
let socket: string

beforeAll(async () => {
  spoils = await spoilsOf(appliance, {})
  socket = appliance.config.hsm.sockets[0] ?? ''
})

/** The reference to a key of the attacker, with another broken seal each time. */
function forged(): KeyReference {
  const { key, ...others } = spoils.references.cipher
  return { ...others, key: { ...key, seal: randomBytes(32) } }
}

const item = (...references: KeyReference[]) => ({
  references,
  fields: [Buffer.alloc(60), ...references.map(() => Buffer.alloc(0))],
})
const many = <Thing>(count: number, make: () => Thing): Thing[] => Array.from({ length: count }, make)

describe('A batch of more than a worker ever sends at once is refused before any of it is worked on', () => {
  const { keys, items } = mostInFrame
  it.each([
    ['keys, of which each has a broken seal', 'encryptMany', () => many(keys + 1, () => item(forged()))],
    ['ciphertexts that the token refuses', 'decryptMany', () => many(items + 1, () => item(spoils.references.cipher))],
    [
      'such ciphertexts to rewrap',
      'rewrapMany',
      () => many(items + 1, () => item(spoils.references.cipher, spoils.references.cipher)),
    ],
  ] as const)('%s', async (_what, operation, given) => {
    const batch = given()
    expect(await ask(socket, operation, batchFields(batch))).toMatchObject({ fault: 'hsm.rejected' })
    const answer = await ask(socket, operation, batchFields(batch.slice(1)))
    expect('fields' in answer && answer.fields).toHaveLength(batch.length)
  })
})

it('A worker whose requests fill the queue of a token host shuts out itself, and no other', async () => {
  const fields = [...referenceFields(forged()), Buffer.alloc(60), Buffer.alloc(0)]
  const frame = frameOf({ code: operations.indexOf('encrypt'), fields })
  const flood = connect(socket).on('error', () => undefined)
  onTestFinished(() => void flood.destroy())
  const refused = new Promise<void>((resolve) => {
    const read = createFrameReader(({ fields: [, detail = ''] }) => {
      if (String(detail).includes('hsm.queue')) resolve()
    })
    flood.on('data', (chunk) => void read(chunk))
  })
  flood.write(Buffer.concat(many(4 * appliance.config.hsm.queue, () => frame)))
  await refused
  expect(await ask(socket, 'random', [Buffer.from('32')])).toMatchObject({ fields: [expect.any(Buffer)] })
})
