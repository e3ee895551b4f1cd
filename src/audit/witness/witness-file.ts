import type { X509Certificate } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { errorMessageOf } from '../../fault.ts'
import type { LinePosition } from '../audit-report.ts'
import { sha256 } from '../line.ts'
import { headIn, type SignedHead } from './signed-head.ts'
import { verifyTimestamp } from './timestamp-token.ts'

/** A head that a witness knows, and its position in the witness's file. */
export interface WitnessedHead extends SignedHead {
  readonly position: LinePosition
}

export interface WitnessFile {
  readonly heads: readonly WitnessedHead[]
  /** Time stamps that did not verify. */
  readonly rejected: readonly { readonly position: LinePosition; readonly reason: string }[]
}

const stampShape = /^\{"heads":(\[\{.*\}\]),"token":"([A-Za-z0-9+/]+={0,2})"\}$/
const stampedHeads = z.array(
  z.object({
    chain: z.string(),
    seq: z.number().int(),
    hash: z.string(),
    at: z.number(),
    key: z.string(),
    signature: z.string(),
  }),
)

/**
 * Reads the heads that a witness knows, from a syslog receiver's file or from the stored time stamps, which it verifies
 * against `authorities`. Skips other lines. Rejects with the errors of the file system.
 */
export async function readWitnessFile(path: string, authorities: readonly X509Certificate[]): Promise<WitnessFile> {
  const heads: WitnessedHead[] = []
  const rejected: { position: LinePosition; reason: string }[] = []
  let line = 0
  for await (const text of createInterface({ input: createReadStream(path, 'latin1'), crlfDelay: Infinity })) {
    line += 1
    const position = { file: path, line }
    const [, stamped, token] = stampShape.exec(text) ?? []
    if (stamped === undefined || token === undefined) {
      const head = headIn(text)
      if (head !== undefined) heads.push({ ...head, position })
      continue
    }
    try {
      verifyTimestamp(Buffer.from(token, 'base64'), Buffer.from(sha256(stamped), 'hex'), authorities)
      for (const head of stampedHeads.parse(JSON.parse(stamped))) heads.push({ ...head, position })
    } catch (error) {
      rejected.push({ position, reason: errorMessageOf(error) })
    }
  }
  return { heads, rejected }
}
