/**
 * A process that appends records without end, sixteen at a time, and can be killed at any moment. It prints the request
 * id of each acknowledged record. Arguments: directory, database, file of the signing key, prefix of the ids.
 */
import { createPrivateKey } from 'node:crypto'
import { readFileSync, writeSync } from 'node:fs'
import { AuditHeadTable, createAuditHeads } from '../../../src/audit/records.ts'
import { createAuditTrail } from '../../../src/audit/trail-writer.ts'
import { systemClock } from '../../../src/clock.ts'
import { openStore } from '../../../src/store/open.ts'
import { eventOf } from '../../support/event-kit.ts'
import { createKeySigner } from '../../support/key-signer.ts'

const [directory = '', sqlite = '', keyFile = '', prefix = ''] = process.argv.slice(2)
const trail = await createAuditTrail({
  directory,
  chain: 'worker-1',
  // The keeper is another process, whose file outlives this one.
  hsm: createKeySigner(createPrivateKey(readFileSync(keyFile)), `${keyFile}.ends`),
  heads: createAuditHeads(await openStore({ sqlite }, [AuditHeadTable])),
  clock: systemClock,
  sealIntervalMs: 10,
  sealRecords: 40,
  segmentBytes: 65_536,
})

async function appendForEver(lane: number): Promise<void> {
  for (let number = 0; ; number += 1) {
    const requestId = `${prefix}-${lane}-${number}`
    await trail.append(eventOf({ requestId }))
    writeSync(1, `${requestId}\n`)
  }
}

await Promise.all(Array.from({ length: 16 }, (_, lane) => appendForEver(lane)))
