import type { TrailItem } from '../interface/calls.ts'

/** A call about an object. The trail may have several records of it. */
export interface TrailCall {
  readonly id: string
  readonly at: string
  readonly userid: string | undefined
  readonly username: string | undefined
  readonly address: string | undefined
  readonly operation: string
  readonly isRefused: boolean
  readonly isAlarm: boolean
  /** Names of the encrypted fields that the call decrypted, and `its file`. */
  readonly secrets: readonly string[]
}

const decryption = 'object.decrypt'
const alarming = 'object.decrypt.alarm'

/** Groups records by call: reading one secret leaves a record of the call, and one of each field that was decrypted. */
export function callsOf(records: readonly TrailItem[]): TrailCall[] {
  const byRequest = new Map<string, TrailItem[]>()
  for (const record of records) {
    const before = byRequest.get(record.requestid)
    if (before) before.push(record)
    else byRequest.set(record.requestid, [record])
  }
  return [...byRequest].map(([id, together]) => callOf(id, together))
}

const isDecryption = ({ operation }: TrailItem): boolean => operation === decryption || operation === alarming

function callOf(id: string, together: readonly TrailItem[]): TrailCall {
  const told = together.find((record) => !isDecryption(record)) ?? together[0]
  const { at = '', userid, username, address, operation = '', outcome } = told ?? {}
  return {
    id,
    at,
    userid,
    username,
    address,
    operation,
    isRefused: outcome !== 'allowed' && outcome !== 'noted',
    isAlarm: together.some((record) => record.operation === alarming),
    secrets: together.filter(isDecryption).map(({ subject = '' }) => subject.slice(subject.indexOf(':') + 1).trim()),
  }
}
